//go:build !unix

package cmd

import (
	"errors"
	"os"
)

// There is no such thing as EAGAIN here.
var errWouldBlock = errors.New("the stream does not block")

func awaitRoom(*os.File) error { return errWouldBlock }

func awaitBytes(*os.File) error { return errWouldBlock }

func inForeground(*os.File) bool { return true }
