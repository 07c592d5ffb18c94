// SPDX-License-Identifier: BSD-2-Clause

// gochain - a chain of calls in Go, in main and in two goroutines.
package main

import "os"

var sink uint64

//go:noinline
func goWork() {
	x := sink | 1
	for i := 0; i < 100000; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sink = x
}

//go:noinline
func goInner() {
	for {
		goWork()
		sink++
	}
}

//go:noinline
func goOuter() {
	goInner()
	sink++
}

func main() {
	go goOuter()
	os.Stdout.WriteString("ready\n")
	goOuter()
}
