package session

import "testing"

func TestEnding(t *testing.T) {
	type step struct {
		from Side
		end  EndKind
	}
	tests := []struct {
		name  string
		steps []step
		want  EndKind // 0: goes on
		by    Side
	}{
		{"the sender's close", []step{{Provider, EndClose}, {Proxy, EndClose}}, EndClose, Provider},
		{"the receiver's close first", []step{{Proxy, EndClose}, {Provider, EndClose}}, EndReceiver, Proxy},
		{"the receiver's close alone", []step{{Proxy, EndClose}}, 0, 0},
		{"the receiver dies, and the sender is cut off by that", []step{{Proxy, EndReset}, {Provider, EndEOF}}, EndReset, Proxy},
		{"the receiver's reset only follows", []step{{Proxy, 0}, {Provider, EndEOF}}, EndEOF, Provider},
		{"the capture ends", []step{{Proxy, EndCapture}, {Provider, EndCapture}}, EndCapture, 0},
		{"the capture ends behind the receiver's close", []step{{Proxy, EndClose}, {Provider, EndCapture}}, EndReceiver, Proxy},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var x Ending
			var got End
			var by Side
			for _, s := range test.steps {
				end := &End{Kind: s.end, Error: "gone"}
				if s.end == 0 {
					end = &End{Kind: EndReset}
				}
				if settled, side := x.Take(Provider, s.from, end); settled != nil {
					got, by = *settled, side
				}
			}
			if got.Kind != test.want || by != test.by || x.Over() != (test.want != 0) {
				t.Errorf("%v by %v, over %v; want %v by %v", got.Kind, by, x.Over(), test.want, test.by)
			}
		})
	}
}

func TestPlace(t *testing.T) {
	tests := []struct {
		path   string
		from   Side
		opcode uint8
		kind   Kind
		note   NoteKind
	}{
		{"/requests", Proxy, OpBinary, Asked, 0},
		{"/requests", Proxy, OpText, Note, NoteWrongWay},
		{"/requests", Provider, OpBinary, Message, 0},
		{"/mcp/notifications/7", Provider, OpBinary, Message, 0},
		{"/mcp/notifications/7", Provider, OpText, Message, 0},
		{"/mcp/notifications/7", Proxy, OpBinary, Note, NoteWrongWay},
		{"/tool/notifications", Proxy, OpBinary, Message, 0},
		{"/tool/notifications", Provider, OpBinary, Note, NoteWrongWay},
	}
	for _, test := range tests {
		e := OfPath(test.path)
		e.From, e.Opcode, e.Data, e.Size = test.from, test.opcode, []byte("\x00{}"), 9
		e.Place(e.Sender())
		if e.Kind != test.kind || e.Note != test.note || e.Withheld != (e.Kind == Asked) {
			t.Errorf("opcode %d of the %v on %s: %v %v, withheld %v; want %v %v", test.opcode, test.from, test.path, e.Kind, e.Note, e.Withheld, test.kind, test.note)
		}
	}
	for _, path := range []string{"/mcp/notifications/07", "/mcp/notifications/", "/mcp/call-tool/7", "/mcp/notifications/4294967296", "/vault/get/7"} {
		if e := OfPath(path); e.Sender() != 0 || e.HasChannel {
			t.Errorf("%s: sender %v, channel %v", path, e.Sender(), e.HasChannel)
		}
	}
}
