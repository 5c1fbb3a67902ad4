-- Tables, strings, closures, and sorting.
local function sorted(n)
    local list, sum = {}, 0
    for i = 1, n do list[i] = i * 7919 % n end
    table.sort(list, function(a, b) return a < b end)
    for i = 1, n do sum = sum + list[i] * i end
    return sum
end

local function words(n)
    local counts, names, total = {}, {}, 0
    for i = 1, n do
        local word = "w" .. i * 31 % 977
        counts[word] = (counts[word] or 0) + 1
    end
    for word in pairs(counts) do names[#names + 1] = word end
    table.sort(names)
    for i, word in ipairs(names) do total = total + i * counts[word] * #word end
    return total, table.concat(names, ","):gsub("%d+", function(digits) return digits % 7 end):sub(1, 40)
end

local Queue = {}
Queue.__index = Queue
function Queue.new() return setmetatable({first = 1, last = 0, items = {}}, Queue) end
function Queue:put(item) self.last = self.last + 1; self.items[self.last] = item end
function Queue:get()
    local item = self.items[self.first]
    self.items[self.first] = nil
    self.first = self.first + 1
    return item
end

local function queue(n)
    local waiting, sum = Queue.new(), 0
    for i = 1, n do
        waiting:put(i)
        waiting:put(-i // 2)
        sum = sum + waiting:get() ~ i
    end
    return sum
end

for _ = 1, 4 do print(sorted(20000), words(60000), queue(60000)) end
