// Goroutines, channels, timers, files, pipes, garbage collection: the parts of Go's runtime that use threads, signals and epoll.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func fibonacci(n int) int {
	if n < 2 {
		return n
	}
	return fibonacci(n-1) + fibonacci(n-2)
}

func work() {
	var group sync.WaitGroup
	var lock sync.Mutex
	total := 0
	results := make(chan int, 4)
	for i := 0; i < 8; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			result := fibonacci(15 + i%3)
			lock.Lock()
			total += result
			lock.Unlock()
			results <- i
		}(i)
	}
	go func() { group.Wait(); close(results) }()
	var order []int
	for i := range results {
		order = append(order, i)
	}
	sort.Ints(order)
	fmt.Println(total, order)
}

func timers() {
	select {
	case <-time.NewTimer(5 * time.Millisecond).C:
		fmt.Println("timer")
	case <-time.After(time.Hour):
		fmt.Println("an hour")
	}
	ticks := 0
	ticker := time.NewTicker(time.Millisecond)
	for range ticker.C {
		if ticks++; ticks == 5 {
			ticker.Stop()
			break
		}
	}
	fmt.Println("ticks", ticks)
}

func files() {
	name := "/tmp/threads_go_test"
	if err := os.WriteFile(name, []byte(strings.Repeat("ab", 1000)), 0644); err != nil {
		fmt.Println(err)
	}
	bytes, _ := os.ReadFile(name)
	fmt.Println(len(bytes), os.Remove(name))
	reader, writer, _ := os.Pipe()
	go func() {
		time.Sleep(time.Millisecond)
		fmt.Fprintln(writer, "through a pipe")
		writer.Close()
	}()
	buffer := make([]byte, 100)
	count, _ := reader.Read(buffer)
	fmt.Print(string(buffer[:count]))
}

func signals() {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGUSR1)
	syscall.Kill(syscall.Getpid(), syscall.SIGUSR1)
	fmt.Println(<-caught)
	defer func() { fmt.Println("recovered:", recover()) }()
	var none *int
	*none = 1
}

// A goroutine that never calls anything is preempted by a signal.
func preemption() {
	var rounds, stop int64
	go func() {
		for atomic.LoadInt64(&stop) == 0 {
			atomic.AddInt64(&rounds, 1)
		}
	}()
	time.Sleep(20 * time.Millisecond)
	runtime.GC()
	fmt.Println("preempted", atomic.LoadInt64(&rounds) > 0)
	atomic.StoreInt64(&stop, 1)
}

func garbage() {
	var kept [][]byte
	for i := 0; i < 60; i++ {
		block := make([]byte, 1<<20)
		if i%15 == 0 {
			kept = append(kept, block)
		}
	}
	runtime.GC()
	fmt.Println("kept", len(kept))
}

func locked() {
	done := make(chan bool)
	for i := 0; i < 5; i++ {
		go func() {
			runtime.LockOSThread()
			time.Sleep(time.Millisecond)
			done <- true
		}()
	}
	for i := 0; i < 5; i++ {
		<-done
	}
	fmt.Println("threads of their own")
}

func main() {
	work()
	timers()
	files()
	signals()
	preemption()
	garbage()
	locked()
}
