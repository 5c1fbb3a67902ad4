// What C++ asks of an assembler: comdat groups, exceptions, type information, initializers, thread-local data.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct shape {
    virtual ~shape() = default;
    virtual double area() const = 0;
};

struct square : virtual shape {
    explicit square(double side) : side(side) {}
    double area() const override { return side * side; }
    double side;
};

struct named {
    virtual const char *name() const { return "named"; }
    virtual ~named() {}
};

struct tile final : square, named {
    tile(double side, std::string label) : square(side), label(std::move(label)) {}
    const char *name() const override { return label.c_str(); }
    std::string label;
};

template <typename T, int size> struct ring {
    T values[size] = {};
    T &operator[](int i)
    {
        static int uses;
        uses++;
        if (i < 0)
            throw std::out_of_range("ring: " + std::to_string(i));
        return values[i % size];
    }
};

thread_local int depth;
std::map<std::string, int> counts{{"one", 1}, {"two", 2}};

int recurse(int n)
{
    struct guard {
        guard() { depth++; }
        ~guard() { depth--; }
    } kept;
    if (n == 0)
        throw std::runtime_error("deep: " + std::to_string(depth));
    return recurse(n - 1) + 1;
}

} // namespace

inline int shared_counter()
{
    static int counter = [] { return 41; }();
    return ++counter;
}

int main()
{
    std::vector<std::unique_ptr<shape>> shapes;
    shapes.emplace_back(new square(2));
    shapes.emplace_back(new tile(3, "a tile"));
    double sum = 0;
    for (const auto &entry : shapes) {
        sum += entry->area();
        if (const named *with_name = dynamic_cast<const named *>(entry.get()))
            std::cout << with_name->name() << '\n';
    }
    ring<int, 4> integers;
    ring<std::string, 3> texts;
    try {
        integers[5] = recurse(3);
    } catch (const std::runtime_error &error) {
        std::cout << error.what() << ' ' << depth << '\n';
    }
    try {
        texts[-1] = "never";
    } catch (...) {
        counts["caught"]++;
    }
    std::vector<int> order{3, 1, 2};
    std::sort(order.begin(), order.end(), [](int a, int b) { return a > b; });
    std::cout << sum << ' ' << order[0] << ' ' << counts["caught"] << ' ' << shared_counter() << '\n';
}
