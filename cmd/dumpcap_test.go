package cmd

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var updateCapture = flag.Bool("update-capture", false, "write the capture of the demo into testdata")

// demoCapture is what dumpcap wrote of `kind4 tail --demo`, without what names the machine.
var demoCapture = filepath.Join("testdata", "packets", "demo.pcapng")

// dumpcapHost is an address of the loopback interface that no other process talks to.
var dumpcapHost = fmt.Sprintf("127.%d.%d.%d", 64+os.Getpid()>>16&63, os.Getpid()>>8&255, os.Getpid()&255)

// dumpcap is a running capture of what passes on dumpcapHost.
type dumpcap struct {
	cmd *exec.Cmd
	out *bufio.Reader
}

// startDumpcap starts `dumpcap ARG... -w -`, which captures when it returns. Where it may not, the test is skipped, in
// CI too: a container seldom may.
func startDumpcap(t *testing.T, args ...string) *dumpcap {
	t.Helper()
	cmd := exec.Command(needsTool(t, "dumpcap"), append(args, "-q", "-f", "host "+dumpcapHost, "-w", "-")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	var before strings.Builder
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "File: ") {
			go io.Copy(io.Discard, said)
			return &dumpcap{cmd, bufio.NewReader(out)}
		}
		before.WriteString(lines.Text() + "\n")
	}
	cmd.Wait()
	t.Skipf("this machine may not capture packets, not even where CI=true: dumpcap says\n%s", &before)
	return nil
}

// captured ends the capture when all that was sent before is in it, and returns it.
func (d *dumpcap) captured(t *testing.T) []byte {
	t.Helper()
	last := []byte("the last packet of " + t.Name())
	conn, err := net.Dial("udp", dumpcapHost+":9")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(last); err != nil {
		t.Fatal(err)
	}
	var all []byte
	chunk := make([]byte, 1<<16)
	for !bytes.Contains(all[max(0, len(all)-2*len(chunk)):], last) {
		n, err := d.out.Read(chunk)
		if err != nil {
			t.Fatalf("dumpcap ended after %d bytes: %v", len(all), err)
		}
		all = append(all, chunk[:n]...)
	}
	d.cmd.Process.Signal(os.Interrupt)
	rest, err := io.ReadAll(d.out)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return append(all, rest...)
}

// demoLines returns what `kind4 tail --demo -o json` prints, played on dumpcapHost, and its exit code.
func demoLines(t *testing.T, args ...string) ([]demoLine, int) {
	t.Helper()
	run := exec.Command("kind4", append([]string{"tail", "--demo", "-l", dumpcapHost + ":0", "-o", "json", "-q"}, args...)...)
	out, err := run.Output()
	return parseLines(t, out), exitCode(t, err)
}

// demoLine is what the json form says of a message, but for its times.
type demoLine map[string]any

func parseLines(t *testing.T, out []byte) []demoLine {
	t.Helper()
	var lines []demoLine
	for text := range bytes.Lines(out) {
		var line demoLine
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatal(err)
		}
		delete(line, "time")
		delete(line, "delta")
		lines = append(lines, line)
	}
	return lines
}

// members lists a member of the lines that have it, as text.
func members(lines []demoLine, name string) []string {
	var values []string
	for _, line := range lines {
		if value, ok := line[name]; ok {
			text, _ := json.Marshal(value)
			values = append(values, strings.Trim(string(text), `"`))
		}
	}
	return values
}

// TestUpdateDemoCapture writes the committed capture anew, with -update-capture.
func TestUpdateDemoCapture(t *testing.T) {
	if !*updateCapture {
		t.Skip("only with -update-capture")
	}
	dump := startDumpcap(t, "-i", "lo")
	demoLines(t)
	file := dump.captured(t)
	blankHost(file)
	if err := os.WriteFile(demoCapture, file, 0o644); err != nil {
		t.Fatal(err)
	}
}

// The blocks and options of pcapng that say where a file was written (draft-ietf-opsawg-pcapng, sections 4.1, 4.2).
const (
	sectionHeader        = 0x0a0d0d0a
	interfaceDescription = 1

	shbHardware = 2
	shbOS       = 3
	ifOS        = 12
)

// blankHost overwrites hardware and operating system in the first two blocks of a little-endian pcapng file.
func blankHost(file []byte) {
	for range 2 {
		size := binary.LittleEndian.Uint32(file[4:])
		switch binary.LittleEndian.Uint32(file) {
		case sectionHeader:
			blankOptions(file[24:size-4], shbHardware, shbOS)
		case interfaceDescription:
			blankOptions(file[16:size-4], ifOS)
		}
		file = file[size:]
	}
}

func blankOptions(options []byte, codes ...uint16) {
	for len(options) >= 4 {
		code, size := binary.LittleEndian.Uint16(options), int(binary.LittleEndian.Uint16(options[2:]))
		if slices.Contains(codes, code) {
			copy(options[4:], strings.Repeat("-", size))
		}
		options = options[4+(size+3)&^3:]
	}
}
