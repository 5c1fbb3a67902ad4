// Objects, closures, strings, regular expressions, typed arrays and sorting. For any interpreter of JavaScript 5.
function random(seed) {
    return function () { seed = (seed * 1103515245 + 12345) % 2147483648; return seed; };
}

function tree(draw, count) {
    var root = null, depth = 0;
    for (var i = 0; i < count; i++) {
        var node = {key: draw() % 100000, left: null, right: null}, at = root, steps = 0;
        if (!root) { root = node; continue; }
        for (;;) {
            var side = node.key < at.key ? "left" : "right";
            steps++;
            if (!at[side]) { at[side] = node; break; }
            at = at[side];
        }
        depth += steps;
    }
    return depth;
}

function text(draw, count) {
    var words = [], counts = {};
    for (var i = 0; i < count; i++) words.push("k" + draw() % 500);
    words.join(" ").replace(/k(\d)(\d*)/g, function (word, first) { counts[first] = (counts[first] || 0) + word.length; return first; });
    return JSON.stringify(counts);
}

function matrix(size) {
    var a = [], b = [], sum = 0, i, j, k;
    for (i = 0; i < size * size; i++) { a.push(i % 7 * 0.5); b.push(i % 5 * 0.25); }
    for (i = 0; i < size; i++)
        for (j = 0; j < size; j++) {
            var cell = 0;
            for (k = 0; k < size; k++) cell += a[i * size + k] * b[k * size + j];
            sum += cell;
        }
    return sum;
}

var show = typeof console === "object" ? function (line) { console.log(line); } : print;
// QuickJS, which knows later versions of the language, is faster and does more.
var slow = typeof Map !== "function";
var draw = random(42), rounds = slow ? 1 : 6, size = slow ? 1500 : 8000;
for (var round = 0; round < rounds; round++) {
    var list = [];
    for (var i = 0; i < size; i++) list.push(draw() % 10000);
    list.sort(function (a, b) { return a - b; });
    show([tree(draw, size / 2), text(draw, size), matrix(slow ? 20 : 40), list[size / 2]].join(" "));
}
