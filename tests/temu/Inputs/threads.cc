// C++ threads: std::thread, locks, condition variables, futures, exceptions, storage of a thread.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <numeric>
#include <queue>
#include <shared_mutex>
#include <thread>
#include <vector>

template <class Iterator> static void sort_in_threads(Iterator first, Iterator last, int depth)
{
    if (depth == 0 || last - first < 1000) {
        std::sort(first, last);
        return;
    }
    auto middle = first + (last - first) / 2;
    std::thread other([=] { sort_in_threads(first, middle, depth - 1); });
    sort_in_threads(middle, last, depth - 1);
    other.join();
    std::inplace_merge(first, middle, last);
}

static long sum_of_queue()
{
    std::mutex lock;
    std::condition_variable changed;
    std::queue<int> queue;
    bool closed = false;
    std::atomic<long> sum{0};
    std::vector<std::thread> workers;

    for (int i = 0; i < 3; i++)
        workers.emplace_back([&] {
            for (;;) {
                std::unique_lock guard(lock);
                changed.wait(guard, [&] { return closed || !queue.empty(); });
                if (queue.empty())
                    return;
                int number = queue.front();
                queue.pop();
                guard.unlock();
                sum += number;
            }
        });
    for (int i = 1; i <= 1000; i++) {
        std::lock_guard guard(lock);
        queue.push(i);
        changed.notify_one();
    }
    {
        std::lock_guard guard(lock);
        closed = true;
    }
    changed.notify_all();
    for (auto &worker : workers)
        worker.join();
    return sum;
}

struct Counted {
    static inline std::atomic<int> alive{0}, made{0};
    Counted() { ++alive, ++made; }
    ~Counted() { --alive; }
};

static thread_local Counted counted;

int main()
{
    std::vector<unsigned> numbers(50000);
    unsigned state = 1;
    for (auto &number : numbers)
        number = state = state * 1664525 + 1013904223;
    sort_in_threads(numbers.begin(), numbers.end(), 3);
    std::cout << std::is_sorted(numbers.begin(), numbers.end()) << " " << numbers[12345] << "\n";
    std::cout << sum_of_queue() << "\n";

    auto future = std::async(std::launch::async, [] { return std::accumulate("ab", "ab" + 2, 0); });
    std::cout << future.get() << "\n";
    std::promise<int> promise;
    std::thread thrower([&] {
        try {
            throw 5;
        } catch (int) {
            promise.set_exception(std::current_exception());
        }
    });
    try {
        promise.get_future().get();
    } catch (int value) {
        std::cout << "caught " << value << "\n";
    }
    thrower.join();

    std::shared_timed_mutex shared;
    std::once_flag once;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&] {
            std::call_once(once, [] { std::cout << "once\n"; });
            std::shared_lock guard(shared, std::chrono::milliseconds(100));
            (void)&counted;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            std::this_thread::yield();
        });
    for (auto &thread : threads)
        thread.join();
    std::cout << Counted::made << " made, " << Counted::alive << " alive\n";
    std::condition_variable never;
    std::mutex lock;
    std::unique_lock guard(lock);
    std::cout << (never.wait_for(guard, std::chrono::milliseconds(2)) == std::cv_status::timeout)
              << "\n";
}
