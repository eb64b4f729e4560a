package decode

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// benchFrames are messages as providers send them.
var benchFrames = []struct{ name, message string }{
	{"progress", "\x00" + `{"method":"notifications/progress","params":{"progressToken":"up","progress":3,"total":9,"message":"reading"}}`},
	{"message", "\x00" + `{"method":"notifications/message","params":{"level":"info","logger":"db.pool","data":{"rows":4,"ms":1.25,"query":"select id, name from users where name = 'zoë'","tags":["a","b"]}}}`},
	{"custom", "\x00" + `{"jsonrpc":"2.0","method":"acme/cacheWarm","params":{"hits":3,"misses":[1,2,3],"node":{"name":"eu-1","up":true}}}`},
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
