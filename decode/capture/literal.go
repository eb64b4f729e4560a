package capture

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"kind4/decode/session"
)

// literalWords are what may stand before a list or a quoted text, in which language.
var literalWords = map[string]bool{
	"byte": true, "uint8": true, "&": true, // Go: []byte{…}, []byte("…"), &[]byte{…}; Rust: &[…]
	"vec!": true, "Binary": true, // Rust: vec![…], Message::Binary([…])
	"bytearray": true, "bytes": true, // Python
	"new": true, "Uint8Array": true, "Uint8Array.from": true, "Buffer": true, "Buffer.from": true, // JavaScript
	"ArrayBuffer": true,
}

// literalDecoder reads bytes in the notation of a programming language, one message a literal. Literals
// stand on lines of their own, or with commas or semicolons between them. It takes
//
//   - lists between [ ] or { }: numbers from 0 to 255 (or from -128, as Java prints them), decimal, 0x, 0o or
//     0b, with commas or spaces between them; a list whose first element is two hex digits, one of them a
//     letter or the first a zero, is all hex ([00, 7b], Rust {:02x?});
//   - texts between " or ', and between ` as Go and JavaScript read them, after b or r too;
//   - <Buffer 00 7b> and ArrayBuffer { [Uint8Contents]: <00 7b>, … } of Node, and a Buffer as JSON;
//   - literalWords and parentheses around those: []byte("…"), vec![…], bytearray(b'…'), Uint8Array(2) [ … ].
//
// In texts every escape of Go, Rust, Python and JavaScript counts: \0, three octal digits, \xNN (a byte,
// also where JavaScript would mean a character), \uNNNN, \u{…}, \UNNNNNNNN, and the letters. A print that
// leaves elements out ("... 12 more bytes") is a fault.
type literalDecoder struct {
	in    *input
	line  int // from 1
	depth int // parentheses open
	token [quoteMax]byte
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
		r.emit(b)
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
	d.depth = 0
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
	for ; d.depth > 0; d.depth-- {
		if c, err := d.spaces(); err != nil {
			return err
		} else if c != ')' {
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
		d.next()
		d.depth++
		return false, d.length()
	case c == '[':
		d.next()
		return d.bracket(r, b)
	case c == '{':
		d.next()
		return true, d.brace(r, b)
	case c == '<':
		d.next()
		return true, d.buffer(r, b)
	case c == '"' || c == '\'' || c == '`':
		d.next()
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
		return true, d.sigil(r, b, strings.Contains(w, "r"))
	}
	if !literalWords[string(word)] {
		return false, literalFault("%s is no word that begins a literal", quote(word))
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

// length reads the number of elements in Uint8Array(2), if that is what the parenthesis holds.
func (d *literalDecoder) length() error {
	c, err := d.spaces()
	if err != nil || c < '0' || c > '9' {
		return err
	}
	for c >= '0' && c <= '9' {
		d.next()
		if c, err = d.peek(); err != nil {
			return err
		}
	}
	if c != ')' {
		return literalFault("%s where a \")\" is missing", d.quoteNext())
	}
	d.next()
	d.depth--
	return nil
}

// bracket reads a list, or the empty brackets before a type's name in Go.
func (d *literalDecoder) bracket(r *Reader, b *session.Batch) (done bool, err error) {
	if c, err := d.peek(); err != nil {
		return false, err
	} else if c != ']' {
		return true, d.list(r, b, ']')
	}
	d.next()
	c, err := d.peek()
	if err != nil && err != io.EOF {
		return false, err
	}
	return err == io.EOF || c != 'b' && c != 'u' && c != '{', nil
}

// brace reads what stands in braces: a list, Node's print of an ArrayBuffer, or its JSON of a Buffer.
func (d *literalDecoder) brace(r *Reader, b *session.Batch) error {
	c, err := d.spaces()
	if err != nil {
		return err
	}
	switch c {
	case '"':
		if err := d.expect(`"type"`, `:`, `"Buffer"`, `"data"`, `:`, `[`); err != nil {
			return err
		}
		if err := d.list(r, b, ']'); err != nil {
			return err
		}
		return d.expect(`}`)
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

// list reads numbers up to the closing bracket.
func (d *literalDecoder) list(r *Reader, b *session.Batch, closing byte) error {
	hex := false
	for first := true; ; first = false {
		element, err := d.element(closing)
		if err != nil || len(element) == 0 {
			return err
		}
		if first {
			hex = hexElement(element)
		}
		var ok bool
		if hex {
			b.Buf, ok = appendElement(b.Buf, element, 16)
		} else {
			b.Buf, ok = appendElement(b.Buf, element, 0)
		}
		if !ok {
			return literalFault("%s is not a byte", quote(element))
		}
		d.cap(r, b)
	}
}

// hexList reads hex digits, two a byte, up to the closing bracket.
func (d *literalDecoder) hexList(r *Reader, b *session.Batch, closing byte) error {
	for {
		element, err := d.element(closing)
		if err != nil || len(element) == 0 {
			return err
		}
		if b.Buf, err = appendHex(b.Buf, element); err != nil {
			return literalFault("%s", err)
		}
		d.cap(r, b)
	}
}

// cap trims a message that passed the cap, now and then.
func (d *literalDecoder) cap(r *Reader, b *session.Batch) {
	if len(b.Buf)&0xfff == 0 {
		r.trim(b)
	}
}

// element takes the next element of a list, valid until the one after it, or the closing bracket, and then
// returns none.
func (d *literalDecoder) element(closing byte) ([]byte, error) {
	c, err := d.spaces()
	if err != nil {
		return nil, err
	}
	if c == closing {
		d.next()
		return nil, nil
	}
	if c == '.' {
		return nil, &literalError{`"..." stands for the rest: what printed this list left it out`, true}
	}
	n := 0
	for n < len(d.token) && (letter(c) || c >= '0' && c <= '9' || c == '-' || c == '+') {
		d.token[n] = c
		n++
		d.next()
		if c, err = d.peek(); err != nil {
			return nil, err
		}
	}
	if n == 0 {
		return nil, literalFault("%s where a byte or %q is expected", d.quoteNext(), closing)
	}
	return d.token[:n], nil
}

// hexElement reports whether the first element of a list says that all are hex without a sign of it.
func hexElement(e []byte) bool {
	return len(e) == 2 && hexClass[e[0]] < 16 && hexClass[e[1]] < 16 && (e[0] == '0' || e[0] > '9' || e[1] > '9')
}

// appendElement appends the byte that a number stands for; base 0 goes by its prefix.
func appendElement(dst, element []byte, base int) ([]byte, bool) {
	if len(element) <= 3 && base == 0 {
		n := 0
		for _, c := range element {
			if c < '0' || c > '9' {
				n = -1
				break
			}
			n = n*10 + int(c-'0')
		}
		if n >= 0 {
			return append(dst, byte(n)), n <= 255
		}
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(string(element), "u8"), base, 16)
	if err != nil || n < -128 || n > 255 {
		return dst, false
	}
	return append(dst, byte(n)), true
}

// text reads a quoted text behind its opening quote, up to the closing one with as many # behind it.
func (d *literalDecoder) text(r *Reader, b *session.Batch, closing byte, raw bool, hashes int) error {
	for {
		if !raw {
			d.plain(b, closing)
			r.trim(b)
		}
		c, err := d.next()
		if err != nil {
			return err
		}
		switch {
		case c == closing:
			if closed, err := d.hashes(b, hashes); closed || err != nil {
				return err
			}
			b.Buf = append(b.Buf, c)
		case c == '\\' && !raw:
			if err := d.escape(b); err != nil {
				return err
			}
		case c == '\n' && !raw:
			d.line--
			d.in.pos--
			return literalFault("the line ends inside a quoted literal: %c is missing", closing)
		case c == '\r' && raw: // Go drops it, and so nobody can have meant it
		default:
			b.Buf = append(b.Buf, c)
		}
		d.cap(r, b)
	}
}

// plain copies characters of a text that stand for themselves, as far as the window holds them.
func (d *literalDecoder) plain(b *session.Batch, closing byte) {
	w := d.in.window()
	i := 0
	for i < len(w) && w[i] != closing && w[i] != '\\' && w[i] != '\n' {
		i++
	}
	b.Buf = append(b.Buf, w[:i]...)
	d.in.pos += i
}

// hashes takes the # behind the closing quote of a raw text in Rust, and reports whether all are there;
// where not, they belong to the text.
func (d *literalDecoder) hashes(b *session.Batch, n int) (bool, error) {
	if n == 0 {
		return true, nil
	}
	w, err := d.ahead(n)
	if err != nil {
		return false, err
	}
	if bytes.Count(w, []byte("#")) < n {
		return false, nil
	}
	d.in.pos += n
	return true, nil
}

// letterEscapes are the escapes of one letter.
var letterEscapes = map[byte]byte{
	'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
	'\\': '\\', '\'': '\'', '"': '"', '`': '`', '/': '/',
}

// escape reads what stands behind a backslash.
func (d *literalDecoder) escape(b *session.Batch) error {
	c, err := d.next()
	if err != nil {
		return err
	}
	if e, ok := letterEscapes[c]; ok {
		b.Buf = append(b.Buf, e)
		return nil
	}
	switch {
	case c >= '0' && c <= '7':
		return d.octal(b, c)
	case c == 'x':
		n, err := d.digits(2)
		b.Buf = append(b.Buf, byte(n))
		return err
	case c == 'u', c == 'U':
		return d.unicode(b, c)
	case c == '\n': // the text goes on in the next line
		return nil
	}
	return literalFault("%s is no escape", quote([]byte{'\\', c}))
}

// octal reads an octal escape that begins with c: three digits, or fewer where another character follows.
// \0 before one more digit is NUL and that digit, as Rust and JavaScript print it.
func (d *literalDecoder) octal(b *session.Batch, c byte) error {
	n := int(c - '0')
	w, err := d.ahead(2)
	if err != nil && err != io.EOF {
		return err
	}
	count := 0
	for count < len(w) && w[count] >= '0' && w[count] <= '7' {
		count++
	}
	if c == '0' && count < 2 {
		count = 0
	}
	for _, o := range w[:count] {
		n = n<<3 | int(o-'0')
	}
	d.in.pos += count
	if n > 255 {
		return literalFault("the octal escape \"\\%o\" is not a byte", n)
	}
	b.Buf = append(b.Buf, byte(n))
	return nil
}

// ahead returns the next n bytes without taking them; with an error, those that are there.
func (d *literalDecoder) ahead(n int) ([]byte, error) {
	for d.in.end-d.in.pos < n {
		if err := d.in.fill(); err != nil {
			return d.in.window(), err
		}
	}
	return d.in.buf[d.in.pos : d.in.pos+n], nil
}

// digits reads n hex digits.
func (d *literalDecoder) digits(n int) (rune, error) {
	w, err := d.ahead(n)
	if err != nil {
		return 0, err
	}
	var v rune
	for _, c := range w {
		if hexClass[c] >= 16 {
			return 0, literalFault("%s where %d hex digits of an escape are expected", quote(w), n)
		}
		v = v<<4 | rune(hexClass[c])
	}
	d.in.pos += n
	return v, nil
}

// unicode reads \u or \U, c, and appends the character in UTF-8. Two that are the halves of one character
// (UTF-16, as JavaScript and JSON write it) are that one.
func (d *literalDecoder) unicode(b *session.Batch, c byte) error {
	v, err := d.codePoint(c)
	if err != nil {
		return err
	}
	if v >= 0xd800 && v < 0xdc00 {
		if err := d.expectHalf(); err != nil {
			return err
		}
		low, err := d.codePoint('u')
		if err != nil {
			return err
		}
		if low < 0xdc00 || low > 0xdfff {
			return literalFault("half of a character: \\u%04x without its other half", v)
		}
		v = 0x10000 + (v-0xd800)<<10 + (low - 0xdc00)
	}
	if !utf8.ValidRune(v) {
		return literalFault("no character has the number 0x%x", uint32(v))
	}
	b.Buf = utf8.AppendRune(b.Buf, v)
	return nil
}

// expectHalf takes the \u of the second half of a character.
func (d *literalDecoder) expectHalf() error {
	w, err := d.ahead(2)
	if err != nil && (err != io.EOF || len(w) == 0) {
		return err
	}
	if string(w) != `\u` {
		return literalFault("half of a character: its other half is missing")
	}
	d.in.pos += 2
	return nil
}

// codePoint reads the digits behind \u or \U.
func (d *literalDecoder) codePoint(c byte) (rune, error) {
	if c == 'U' {
		return d.digits(8)
	}
	next, err := d.peek()
	if err != nil {
		return 0, err
	}
	if next != '{' {
		return d.digits(4)
	}
	d.next()
	var v rune
	for n := 0; ; n++ {
		c, err := d.next()
		switch {
		case err != nil:
			return 0, err
		case c == '}' && n > 0:
			return v, nil
		case hexClass[c] >= 16 || n == 6:
			return 0, literalFault("%s where a digit or \"}\" of an escape is expected", quote([]byte{c}))
		}
		v = v<<4 | rune(hexClass[c])
	}
}

// quoteNext quotes the character that comes next.
func (d *literalDecoder) quoteNext() string { return quote(d.in.character()) }

// letter reports whether c can stand in a word.
func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}
