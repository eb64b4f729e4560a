// Profiled is kind4, and writes a CPU profile of a session that reads messages into the directory that PROFILES names.
// scripts/profile makes default.pgo of what it writes.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"

	"kind4/cmd"
)

func main() {
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") { // --version ends before there is a sample
		os.Exit(cmd.Run(os.Args, os.Stdin, os.Stdout, os.Stderr))
	}
	file, err := os.Create(filepath.Join(os.Getenv("PROFILES"), fmt.Sprintf("%d.pprof", os.Getpid())))
	if err == nil {
		err = pprof.StartCPUProfile(file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "profiled:", err)
		os.Exit(1)
	}
	code := cmd.Run(os.Args, os.Stdin, os.Stdout, os.Stderr)
	pprof.StopCPUProfile()
	if err := file.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "profiled:", err)
		os.Exit(1)
	}
	os.Exit(code)
}
