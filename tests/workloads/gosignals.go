// SPDX-License-Identifier: BSD-2-Clause

// gosignals - Go that asks for the time, which is C on the stack of the thread, and sends itself signals, whose handlers run on a stack of
// their own.
package main

import (
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

var sink int64

//go:noinline
func asksTime() {
	for i := 0; i < 3000; i++ {
		sink += time.Now().UnixNano()
	}
}

//go:noinline
func sendsSignals(pid, tid int) {
	for i := 0; i < 50; i++ {
		syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(pid), uintptr(tid), uintptr(syscall.SIGUSR1))
	}
}

//go:noinline
func inTurns() {
	runtime.LockOSThread()
	pid, tid := os.Getpid(), syscall.Gettid()
	for from := time.Now(); time.Since(from) < 2*time.Second; {
		asksTime()
		sendsSignals(pid, tid)
	}
}

func main() {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGUSR1)
	go func() {
		for range heard {
		}
	}()
	os.Stdout.WriteString("ready\n")
	inTurns()
}
