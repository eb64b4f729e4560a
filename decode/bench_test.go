package decode

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// benchFrames are messages as providers send them.
var benchFrames = []struct{ name, message string }{
	{"progress", "\x00" + `{"method":"notifications/progress","params":{"progressToken":"up","progress":3,"total":9,"message":"reading"}}`},
	{"message", "\x00" + `{"method":"notifications/message","params":{"level":"info","logger":"db.pool","data":{"rows":4,"ms":1.25,"query":"select id, name from users where name = 'zoë'","tags":["a","b"]}}}`},
	{"custom", "\x00" + `{"jsonrpc":"2.0","method":"acme/cacheWarm","params":{"hits":3,"misses":[1,2,3],"node":{"name":"eu-1","up":true}}}`},
	{"nested", "\x00" + `{"method":"acme/tree","params":{"root":{"id":1,"kids":[{"id":2,"kids":[{"id":3,"kids":[],"at":[1.5,-2.25]}],"at":[0,1]},{"id":4,"kids":[],"at":[7,8]}],"at":[9,10]}}}`},
	{"wide", "\x00" + `{"method":"notifications/message","params":{"level":"info","data":"日本語のテキスト、größer, naïve café – 価格は100円"}}`},
	{"spaced", "\x00" + `{ "method": "notifications/message", "params": { "level": "info", "data": { "rows": 4, "ms": 1.25, "ok": true } } }`},
	{"error", "\x01" + `{"code":-32603,"message":"upstream gone","data":{"retry":true,"after":12.5}}`},
	{"large", "\x00" + `{"method":"notifications/message","params":{"level":"info","data":[` + strings.Repeat(`{"id":12345,"name":"a name of some length","ok":true,"score":0.25,"note":"näher am Wort"},`, 700) + `null]}}`},
	{"undecodable", "\x00" + `{"method":"notifications/progress","params":{"progressToken":"up","progress":3,"total":9,"message":"read`},
}

func BenchmarkDecode(b *testing.B) {
	for _, bench := range benchFrames {
		b.Run(bench.name, func(b *testing.B) {
			message := []byte(bench.message)
			var f Frame
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			for b.Loop() {
				_ = f.Decode(message)
			}
		})
	}
}

// BenchmarkScan measures what decides by the receiver's rules whether a body is JSON, in turn with gjson, which looks
// at the grammar alone: rounds of one and the other, of which it reports the median ratio.
func BenchmarkScan(b *testing.B) {
	for _, bench := range benchFrames {
		b.Run(bench.name, func(b *testing.B) {
			message := []byte(bench.message)
			seen := make([]uint64, 0, 64)
			w := new(why)
			scan := func() {
				s := scanner{data: message, seen: seen, why: w}
				s.value(1)
			}
			peer := func() { gjson.ValidBytes(message[1:]) }
			times := 1 + 100_000/len(message)
			var ratios []float64
			for b.Loop() {
				ours := timed(times, scan)
				ratios = append(ratios, float64(ours)/float64(timed(times, peer)))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "gjson")
			b.ReportMetric(0, "ns/op") // of the rounds, which say nothing
		})
	}
}

// timed is how long f takes that many times.
func timed(times int, f func()) time.Duration {
	start := time.Now()
	for range times {
		f()
	}
	return time.Since(start)
}

// BenchmarkPeers gives the same bodies to readers that only say whether they are JSON.
func BenchmarkPeers(b *testing.B) {
	peers := []struct {
		name  string
		valid func([]byte) bool
	}{
		{"encoding-json", json.Valid},
		{"jsontext", func(body []byte) bool { return jsontext.Value(body).IsValid() }},
		{"gjson", gjson.ValidBytes},
	}
	for _, bench := range benchFrames {
		for _, peer := range peers {
			b.Run(bench.name+"/"+peer.name, func(b *testing.B) {
				body := []byte(bench.message)[1:]
				b.SetBytes(int64(len(body) + 1))
				b.ReportAllocs()
				for b.Loop() {
					peer.valid(body)
				}
			})
		}
	}
}
