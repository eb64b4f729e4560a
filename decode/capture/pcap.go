package capture

import (
	"kind4/decode/capture/packet"
	"kind4/decode/session"
)

// packetDecoder reads a packet capture.
type packetDecoder struct {
	packets *packet.Reader
}

// newPacketDecoder returns the decoder of pcap and pcapng.
func newPacketDecoder(r *Reader) decoder {
	return &packetDecoder{packets: packet.NewReader((*inputReader)(&r.in), packet.Options{})}
}

func (d *packetDecoder) read(r *Reader, b *session.Batch) error {
	for {
		if _, err := d.packets.Next(); err != nil {
			return r.readError(err)
		}
	}
}

// inputReader is an input as an io.Reader.
type inputReader input

// Read implements io.Reader: what one read of the source brought.
func (in *inputReader) Read(p []byte) (int, error) { return (*input)(in).readInto(p) }
