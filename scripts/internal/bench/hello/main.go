// Hello prints one line: the least that a Go program costs to start.
package main

import "fmt"

func main() { fmt.Println("hello") }
