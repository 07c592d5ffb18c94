// SPDX-License-Identifier: BSD-2-Clause

// goallocs - allocates known bytes at two sites of Go, in goroutines whose stacks grow meanwhile, and says so:
//
//	main.slices 8192000
//
// Arguments: how many blocks of each site in each of four goroutines, 2000; how many milliseconds it waits before.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"
)

type record struct {
	values [16]uint64
	next   *record
}

const goroutines = 4

var last [goroutines][]byte
var kept [goroutines]*record

//go:noinline
func slices(g, n int) {
	for i := 0; i < n; i++ {
		last[g] = make([]byte, 1024)
	}
}

//go:noinline
func records(g, n int) {
	for i := 0; i < n; i++ {
		r := &record{next: kept[g]}
		if i%100 == 0 {
			kept[g] = r
		}
	}
}

// The stack of its goroutine moves, with return addresses that nobody may have replaced.
//
//go:noinline
func deep(n int) uint64 {
	var pad [128]uint64
	pad[n%128] = uint64(n)
	if n == 0 {
		return pad[0]
	}
	return deep(n-1) + pad[n%128]
}

func argument(i, otherwise int) int {
	if i < len(os.Args) {
		if n, err := strconv.Atoi(os.Args[i]); err == nil {
			return n
		}
	}
	return otherwise
}

func main() {
	n := argument(1, 2000)
	time.Sleep(time.Duration(argument(2, 0)) * time.Millisecond)
	var all sync.WaitGroup
	for g := 0; g < goroutines; g++ {
		g := g
		all.Add(1)
		go func() {
			slices(g, n)
			deep(200)
			records(g, n)
			all.Done()
		}()
	}
	all.Wait()
	fmt.Println("main.slices", goroutines*n*1024)
	fmt.Println("main.records", goroutines*n*17*8)
}
