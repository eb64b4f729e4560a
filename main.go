// Kind4 is a debugger for the notification channel of the Diverge provider protocol.
package main

import (
	"os"

	"kind4/cmd"
)

func main() {
	os.Exit(cmd.Run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
