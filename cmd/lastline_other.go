//go:build !unix

package cmd

import "os"

// terminalSignals never come here: the width is looked at whenever the line changes.
type terminalSignals struct {
	resized, stopping, continued chan os.Signal
}

func watchTerminal() terminalSignals { return terminalSignals{} }

func (terminalSignals) stop() {}

func (terminalSignals) suspend() {}
