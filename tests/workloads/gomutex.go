// SPDX-License-Identifier: BSD-2-Clause

// gomutex.go - goroutines take a sync.Mutex in turns, for ever: four that sleep with it, and two that compute, each on a thread of its own.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"
)

var mutex sync.Mutex

//go:noinline
func sleeps() {
	mutex.Lock()
	time.Sleep(2 * time.Millisecond)
	mutex.Unlock()
}

//go:noinline
func computes() {
	mutex.Lock()
	for begin := time.Now(); time.Since(begin) < 2*time.Millisecond; {
	}
	mutex.Unlock()
}

func forever(run func(), alone bool) {
	if alone {
		runtime.LockOSThread()
	}
	for {
		run()
	}
}

func main() {
	for i := 0; i < 4; i++ {
		go forever(sleeps, false)
	}
	for i := 0; i < 2; i++ {
		go forever(computes, true)
	}
	fmt.Println("ready")
	time.Sleep(100 * time.Second)
}
