package capture

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"kind4/decode/session"
)

// literalWords are what may stand before a list or a quoted text, in which language.
var literalWords = map[string]bool{
	"byte": true, "uint8": true, "&": true, // Go: []byte{…}, []byte("…"), &[]byte{…}; Rust: &[…]
	"vec!": true, "Binary": true, // Rust: vec![…], Message::Binary([…])
	"bytearray": true, "bytes": true, // Python
	"new": true, "Uint8Array": true, "Uint8Array.from": true, "Buffer": true, "Buffer.from": true, // JavaScript
	"ArrayBuffer": true,
	"sbyte":       true, "byteArrayOf": true, // C#, Java: new byte[] {…}; Kotlin
}

// literalDecoder reads bytes in the notation of a programming language, one message a literal. Literals
// stand on lines of their own, or with commas or semicolons between them. It takes
//
//   - lists between [ ], { } or ( ): numbers from 0 to 255 (or from -128, as Java prints them), decimal, 0x, 0o or
//     0b, with commas or spaces between them; all of it is hex ([0, 7b], Rust {:x?} and {:02x?}) where an
//     element says so and those before it do not say otherwise: one or two hex digits, one of them a
//     letter or the first of two a zero;
//   - texts between " or ', and between ` as Go and JavaScript read them, after b or r too; inside parentheses,
//     several of them, with + or nothing between them, are one (Python's pprint);
//   - <Buffer 00 7b> and ArrayBuffer { [Uint8Contents]: <00 7b>, … } of Node, and a Buffer as JSON;
//   - literalWords, types and parentheses around those: []byte("…"), [2]uint8{…}, vec![…], bytearray(b'…'),
//     Uint8Array(2) [ … ], array('B', [ … ]), new byte[] { … }; a size that they announce must hold;
//   - declarations in C, as xxd -i prints them, the one of the list's size with them.
//
// In texts every escape of Go, Rust, Python and JavaScript counts: \0, three octal digits, \xNN (a byte,
// also where JavaScript would mean a character), \uNNNN, \u{…}, \UNNNNNNNN, and the letters. A print that
// leaves elements out ("... 12 more bytes") is a fault.
type literalDecoder struct {
	in    *input
	line  int // from 1
	depth int // parentheses open
	token [quoteMax]byte

	// Of the literal under way.
	named    bool // a word came
	typed    bool // that word is a type's or, in a declaration, a name
	declared bool // it is a declaration in C
	textual  bool // its bytes are a text
	remark   bool // it holds no bytes: a declared size
	size     int  // how many bytes it announces, -1 for none

	count int // elements of the last list
}

// literalError is a fault in a literal; where it is, is known to who made the decoder.
type literalError struct {
	message string
	torn    bool
}

func (e *literalError) Error() string { return e.message }

func literalFault(format string, args ...any) error {
	return &literalError{message: fmt.Sprintf(format, args...)}
}

func (d *literalDecoder) read(r *Reader, b *session.Batch) error {
	r.resume(b)
	for {
		for d.skipBetween() {
			if r.some(b) {
				return nil
			}
			if err := r.in.fill(); err != nil {
				return r.readError(err)
			}
		}
		if err := d.literal(r, b); err != nil {
			b.Buf = b.Buf[:r.start]
			return d.locate(r, err)
		}
		if !d.remark {
			r.emit(b)
		}
		if r.enough(b) {
			return nil
		}
	}
}

// locate makes an error of this decoder, or of its input, one of the reader.
func (d *literalDecoder) locate(r *Reader, err error) error {
	fault, ok := err.(*literalError)
	if !ok && err != io.EOF {
		return r.readError(err)
	}
	if err == io.EOF {
		fault = &literalError{"the input ends inside a literal", true}
	}
	e := r.fail(d.line, r.in.offset(), fault.message)
	e.Torn = fault.torn
	return e
}

// peek returns the next byte without taking it.
func (d *literalDecoder) peek() (byte, error) {
	if d.in.pos == d.in.end {
		if err := d.in.fill(); err != nil {
			return 0, err
		}
	}
	return d.in.buf[d.in.pos], nil
}

// next takes the next byte.
func (d *literalDecoder) next() (byte, error) {
	c, err := d.peek()
	if err != nil {
		return 0, err
	}
	if c == '\n' {
		d.line++
	}
	d.in.pos++
	return c, nil
}

// skipBetween skips what may stand between two literals, and reports whether more must be read to know
// where it ends.
func (d *literalDecoder) skipBetween() bool {
	for d.in.pos < d.in.end {
		c := d.in.buf[d.in.pos]
		switch {
		case strings.IndexByte(" \t\r\n,;", c) >= 0:
			d.next()
		case c == '#':
			end := bytes.IndexByte(d.in.window(), '\n')
			if end < 0 {
				// The comment goes on in the next window: keep its sign before it.
				d.in.pos = d.in.end - 1
				d.in.buf[d.in.pos] = '#'
				if d.in.ended() {
					d.in.pos = d.in.end
				}
				return true
			}
			d.in.pos += end
		default:
			return false
		}
	}
	return true
}

// spaces skips white space and commas, and returns the byte after them.
func (d *literalDecoder) spaces() (byte, error) {
	for {
		c, err := d.peek()
		if err != nil || strings.IndexByte(" \t\r\n,", c) < 0 {
			return c, err
		}
		d.next()
	}
}

// literal reads one literal.
func (d *literalDecoder) literal(r *Reader, b *session.Batch) error {
	d.depth, d.size = 0, -1
	d.named, d.typed, d.declared, d.textual, d.remark = false, false, false, false, false
	for {
		c, err := d.spaces()
		if err != nil {
			return err
		}
		done, err := d.part(r, b, c)
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	if d.depth > 0 && d.textual {
		if err := d.joined(r, b); err != nil {
			return err
		}
	}
	return d.close()
}

// close takes the parentheses that are open.
func (d *literalDecoder) close() error {
	for ; d.depth > 0; d.depth-- {
		c, err := d.spaces()
		switch {
		case err != nil:
			return err
		case strings.IndexByte("[{(<'\"`", c) >= 0, letter(c):
			return literalFault("%s where a \")\" is missing"+eachAlone, d.quoteNext())
		case c != ')':
			return literalFault("%s where a \")\" is missing", d.quoteNext())
		}
		d.next()
	}
	return nil
}

// part reads a word, a parenthesis or the bytes themselves, and reports whether it was those.
func (d *literalDecoder) part(r *Reader, b *session.Batch, c byte) (done bool, err error) {
	switch {
	case c == '(':
		return d.parenthesis(r, b)
	case c == '[':
		if is, err := d.typeBrackets(); is || err != nil {
			return false, err
		}
		d.next()
		return true, d.list(r, b, ']')
	case c == '=' && d.declared:
		d.next()
		return false, nil
	case c >= '0' && c <= '9' && d.declared:
		return true, d.declaredSize()
	case c == '{':
		d.next()
		return true, d.brace(r, b)
	case c == '<':
		d.next()
		return true, d.buffer(r, b)
	case c == '"' || c == '\'' || c == '`':
		d.next()
		d.textual = true
		return true, d.text(r, b, c, c == '`', 0)
	case c == '&' || letter(c):
		return d.word(r, b)
	}
	return false, literalFault("%s does not begin a literal", d.quoteNext())
}

// word reads a word before the bytes: one of literalWords, or the sign of a kind of text.
func (d *literalDecoder) word(r *Reader, b *session.Batch) (done bool, err error) {
	var word []byte
	for {
		c, err := d.peek()
		if err != nil && err != io.EOF {
			return false, err
		}
		if err == io.EOF || !letter(c) && (c < '0' || c > '9') && strings.IndexByte("&!.", c) < 0 || len(word) > quoteMax {
			break
		}
		word = append(word, c)
		d.next()
		if c == '&' {
			break
		}
	}
	switch w := strings.ToLower(string(word)); w {
	case "b", "r", "br", "rb":
		d.textual = true
		return true, d.sigil(r, b, strings.Contains(w, "r"))
	}
	return d.known(string(word))
}

// known takes a word that says what follows; done where that is nothing.
func (d *literalDecoder) known(word string) (done bool, err error) {
	d.named = d.named || word != "&"
	switch {
	case word == "nil" && d.depth > 0: // Go: []byte(nil)
		return true, nil
	case word == "array": // Python: array('B', […])
		d.depth++
		return false, d.expect("(", "'B'")
	case cWords[word]:
		d.declared = true
	case d.declared && !d.typed:
		d.typed = true
	case !literalWords[word]:
		return false, literalFault("%s is no word that begins a literal", quote([]byte(word)))
	default:
		d.typed = word == "byte" || word == "sbyte"
	}
	return false, nil
}

// sigil reads a text whose quotes stand after b, r or both. Where raw, there may be # before the quotes.
func (d *literalDecoder) sigil(r *Reader, b *session.Batch, raw bool) error {
	hashes := 0
	for {
		c, err := d.next()
		if err != nil {
			return err
		}
		switch {
		case c == '"' || c == '\'':
			return d.text(r, b, c, raw, hashes)
		case c == '#' && raw && hashes < 255:
			hashes++
		default:
			return literalFault("%s where a quote is expected", quote([]byte{c}))
		}
	}
}

// brace reads what stands in braces: a list, Node's print of an ArrayBuffer, or a Buffer as JSON.
func (d *literalDecoder) brace(r *Reader, b *session.Batch) error {
	c, err := d.spaces()
	if err != nil {
		return err
	}
	switch c {
	case '"':
		return d.object(r, b, `"type"`, `"Buffer"`, `"data"`)
	case 't':
		return d.object(r, b, "type", "'Buffer'", "data")
	case '[':
		if err := d.expect(`[Uint8Contents]`, `:`, `<`); err != nil {
			return err
		}
		if err := d.hexList(r, b, '>'); err != nil {
			return err
		}
		for c != '}' {
			if c, err = d.next(); err != nil {
				return err
			}
		}
		return nil
	}
	return d.list(r, b, '}')
}

// object reads a Buffer as Node's toJSON makes one, by what its members are called, behind its brace.
func (d *literalDecoder) object(r *Reader, b *session.Batch, kind, buffer, data string) error {
	if err := d.expect(kind, ":", buffer, data, ":", "["); err != nil {
		return err
	}
	if err := d.list(r, b, ']'); err != nil {
		return err
	}
	return d.expect("}")
}

// buffer reads Node's print of a Buffer behind its <.
func (d *literalDecoder) buffer(r *Reader, b *session.Batch) error {
	c, err := d.peek()
	if err != nil {
		return err
	}
	if c == 'B' {
		if err := d.expect("Buffer"); err != nil {
			return err
		}
	}
	return d.hexList(r, b, '>')
}

// expect takes these texts, with white space and commas before each as it likes.
func (d *literalDecoder) expect(texts ...string) error {
	for _, text := range texts {
		if _, err := d.spaces(); err != nil {
			return err
		}
		for i := range len(text) {
			if c, err := d.peek(); err != nil {
				return err
			} else if c != text[i] {
				return literalFault("%s where %s is expected", d.quoteNext(), quote([]byte(text)))
			}
			d.next()
		}
	}
	return nil
}

// quoteNext quotes the character that comes next.
func (d *literalDecoder) quoteNext() string { return quote(d.in.character()) }

// letter reports whether c can stand in a word.
func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}
