package capture

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"kind4/decode"
	"kind4/decode/capture/conversation"
	"kind4/decode/capture/packet"
	"kind4/decode/session"
)

// packetDecoder reads a packet capture. What is torn or broken is told once everything before it was.
type packetDecoder struct {
	packets *packet.Reader
	set     *conversation.Set
}

// newPacketDecoder returns the decoder of pcap and pcapng.
func newPacketDecoder(r *Reader) decoder {
	o := conversation.Options{MaxSize: r.max}
	if r.channel != nil {
		o.Channel, o.HasChannel = *r.channel, true
	}
	return &packetDecoder{
		packets: packet.NewReader((*inputReader)(&r.in), packet.Options{}),
		set:     conversation.New(o),
	}
}

func (d *packetDecoder) read(r *Reader, b *session.Batch) error {
	for !r.some(b) || d.packets.Buffered() && !r.enough(b) {
		piece, err := d.packets.Next()
		if err != nil {
			r.contents = d.contents()
			return d.fail(r, b, err)
		}
		d.set.Take(b, &piece)
	}
	return nil
}

// fail returns the error for what ended the reading. A torn capture is a Note, too.
func (d *packetDecoder) fail(r *Reader, b *session.Batch, err error) error {
	var broken *packet.Error
	switch {
	case err == io.EOF:
		switch {
		case d.packets.Stats().Packets == 0 && r.in.read > 0:
			r.hint = "a capture without a packet"
		case d.set.Counts().Messages == 0:
			r.hint = r.contents + d.advice()
		case d.packets.Stats().GivenUpGaps+d.packets.Stats().GivenUpConns+d.packets.Stats().Late > 0:
			r.hint = "more was open or out of order than is held: " + r.contents
		}
		return err
	case !errors.As(err, &broken):
		return r.readError(err)
	case broken.Err != nil:
		if packed := new(Error); errors.As(broken.Err, &packed) {
			return packed
		}
		e := r.fail(0, broken.Offset, "cannot read on: "+broken.Err.Error())
		e.Err = broken.Err
		return e
	case !broken.Torn:
		return r.fail(0, broken.Offset, broken.Reason)
	}
	e := r.torn(0, broken.Offset, "the capture ends inside the block that begins here, "+count(broken.Have, "byte")+" into it")
	e.Told = true
	b.Events = append(b.Events, session.Event{Kind: session.Note, Note: session.NoteTorn, Reason: e.Error()})
	return e
}

// contents says what the capture held, in one line.
func (d *packetDecoder) contents() string {
	stats, conns := d.packets.Stats(), d.set.Counts()
	words := []string{count(stats.Packets, "packet")}
	for _, left := range []struct {
		n    int64
		what string
	}{
		{stats.OtherLink, " of a link type that is not read"},
		{stats.OtherProto, " of something else than TCP over IP"},
		{stats.Malformed, " with a header that cannot be read"},
		{stats.CutHeader, " whose headers the snap length cut"},
		{stats.Cut, " whose data the snap length cut"},
		{stats.Unfinished, " in fragments that could not be put together"},
	} {
		if left.n > 0 {
			words = append(words, strconv.FormatInt(left.n, 10)+left.what)
		}
	}
	words = append(words, count(int64(conns.Conns), "TCP connection"))
	if stats.GivenUpConns > 0 {
		words = append(words, strconv.FormatInt(stats.GivenUpConns, 10)+" of them not followed to the end, since too many were open at once")
	}
	if stats.GivenUpGaps > 0 {
		words = append(words, count(stats.GivenUpGaps, "gap")+" not waited for, since too much would have had to be held")
	}
	if stats.Late > 0 {
		words = append(words, count(stats.Late, "byte")+" that came too late to be put in order, told as missing")
	}
	return strings.Join(words, ", ") + kinds(&conns)
}

// kinds says what the connections were.
func kinds(c *conversation.Counts) string {
	var words []string
	for _, class := range []struct {
		n    int
		what string
	}{
		{c.Upgraded, "upgraded to a WebSocket"},
		{c.MidStream, "without an upgrade taken for one"},
		{c.HTTP, "of HTTP without an upgrade"},
		{c.TLS, "of TLS"},
		{c.Other, "of something else"},
	} {
		if class.n > 0 {
			words = append(words, strconv.Itoa(class.n)+" "+class.what)
		}
	}
	text := ""
	if len(words) > 0 {
		text = ": " + strings.Join(words, ", ")
	}
	if len(c.Paths) > 0 {
		text += "; paths: " + string(decode.AppendSafe(nil, []byte(strings.Join(c.Paths, ", "))))
		if c.MorePaths {
			text += " and more"
		}
	}
	if len(c.Proxies) > 1 {
		text += "; proxies: " + strings.Join(c.Proxies, ", ")
		if c.MoreProxies {
			text += " and more"
		}
	}
	return text
}

// advice says what to look at where no message of a notification path came.
func (d *packetDecoder) advice() string {
	c, stats := d.set.Counts(), d.packets.Stats()
	switch {
	case stats.Cut+stats.CutHeader > 0:
		return "; what the snap length cut cannot be read: capture whole packets, with -s 0 of tcpdump, tshark or dumpcap"
	case c.Upgraded+c.MidStream > 0:
		return "; no message of a notification path among them"
	case c.Unopened > 0:
		return "; no path of the protocol was opened"
	case c.TLS > 0 && c.HTTP+c.Other == 0:
		return "; what TLS carries cannot be read"
	}
	return "; no connection to a path of the protocol: was it captured on the right interface, and port 14979?"
}

// count is "1 packet" or "12 packets".
func count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}

// inputReader is an input as an io.Reader.
type inputReader input

// Read implements io.Reader: what one read of the source brought.
func (in *inputReader) Read(p []byte) (int, error) { return (*input)(in).readInto(p) }
