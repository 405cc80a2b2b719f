package photo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"dossier"

	"pgregory.net/rapid"
)

func picture(w, h int) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.Set(x, y, color.NRGBA{uint8(x * 7), uint8(y * 11), uint8(x ^ y), 255})
		}
	}
	return m
}

func makeJPEG(t testing.TB, w, h int) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture(w, h), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func makePNG(t testing.TB, w, h int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, picture(w, h)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func mkbox(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	out := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return append(append(out, kind...), body...)
}

type heicSpec struct {
	brand, compat, codec string
	exif                 string
	w, h                 uint32
	gap                  string // bytes in the media data that belong to no item
}

// makeHEIC writes a small but whole HEIC container. Its picture data is noise: no
// codec looks at it.
func makeHEIC(s heicSpec) []byte {
	full := func(v byte) []byte { return []byte{v, 0, 0, 0} }
	u16 := func(n int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(n)) }
	u32 := func(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
	pic := []byte("hevc-coded-picture-data")
	ftyp := mkbox("ftyp", []byte(s.brand), u32(0), []byte(s.compat))
	build := func(base int) []byte {
		infe := func(id int, kind string) []byte {
			return mkbox("infe", full(2), u16(id), u16(0), []byte(kind), []byte{0})
		}
		place := func(id, at, n int) []byte {
			return bytes.Join([][]byte{u16(id), u16(0), u16(1), u32(at), u32(n)}, nil)
		}
		infos, places, n := infe(1, s.codec), place(1, base, len(pic)), 1
		if s.exif != "" {
			infos = append(infos, infe(2, "Exif")...)
			places = append(places, place(2, base+len(pic)+len(s.gap), len(s.exif))...)
			n = 2
		}
		ispe := mkbox("ispe", full(0), u32(int(s.w)), u32(int(s.h)))
		return mkbox("meta", full(0),
			mkbox("hdlr", full(0), u32(0), []byte("pict"), make([]byte, 13)),
			mkbox("pitm", full(0), u16(1)),
			mkbox("iloc", full(0), []byte{0x44, 0x00}, u16(n), places),
			mkbox("iinf", full(0), u16(n), infos),
			mkbox("iprp", mkbox("ipco", ispe)))
	}
	meta := build(len(ftyp) + len(build(0)) + 8)
	return bytes.Join([][]byte{ftyp, meta, mkbox("mdat", pic, []byte(s.gap), []byte(s.exif))}, nil)
}

var goodHEIC = heicSpec{brand: "heic", compat: "mif1heic", codec: "hvc1", w: 640, h: 480}

func TestAccepts(t *testing.T) {
	t.Parallel()
	mif1 := goodHEIC
	mif1.brand, mif1.compat = "mif1", "mif1heic"
	for name, tt := range map[string]struct {
		data   []byte
		format Format
		w, h   int
	}{
		"G-101 jpeg":                         {makeJPEG(t, 40, 30), JPEG, 40, 30},
		"G-101 png":                          {makePNG(t, 31, 17), PNG, 31, 17},
		"G-101 heic":                         {makeHEIC(goodHEIC), HEIC, 640, 480},
		"G8 heic by compatible brand":        {makeHEIC(mif1), HEIC, 640, 480},
		"jpeg with zeros behind it":          {append(makeJPEG(t, 8, 8), 0, 0, 0), JPEG, 8, 8},
		"jpeg with a second picture from it": {append(makeJPEG(t, 8, 8), makeJPEG(t, 4, 4)...), JPEG, 8, 8},
	} {
		p, err := Check(tt.data, 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Format != tt.format || p.Width != tt.w || p.Height != tt.h || len(p.SHA256) != 64 {
			t.Errorf("%s: got %s %d×%d %q", name, p.Format, p.Width, p.Height, p.SHA256)
		}
		again, err := Check(p.Data, 0)
		if err != nil || !bytes.Equal(again.Data, p.Data) {
			t.Errorf("%s: cleaning twice differs (%v)", name, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	avif, sneaky, far, zip := goodHEIC, goodHEIC, goodHEIC, goodHEIC
	avif.brand, avif.compat, avif.codec = "avif", "mif1avif", "av01"
	sneaky.compat, sneaky.codec = "mif1heicavif", "av01"
	far.w, far.h = 60000, 60000
	zip.gap = "PK\x03\x04 archive"
	j, p, h := makeJPEG(t, 64, 64), makePNG(t, 64, 64), makeHEIC(goodHEIC)
	comment := func(text string) []byte {
		seg := append([]byte{0xff, 0xfe, 0, byte(len(text) + 2)}, text...)
		return append(append(bytes.Clone(j[:2]), seg...), j[2:]...)
	}
	for name, tt := range map[string]struct {
		data []byte
		why  error
	}{
		"empty":                     {nil, ErrFormat},
		"G-084 gif":                 {[]byte("GIF89a...."), ErrFormat},
		"G-084 text named jpg":      {[]byte("hello"), ErrFormat},
		"G-084 webp":                {[]byte("RIFF0000WEBPVP8 "), ErrFormat},
		"G8 avif":                   {makeHEIC(avif), ErrFormat},
		"G8 avif that claims heic":  {makeHEIC(sneaky), ErrFormat},
		"G8 mif1 alone":             {makeHEIC(heicSpec{brand: "mif1", compat: "mif1", codec: "hvc1", w: 1, h: 1}), ErrFormat},
		"G8 truncated jpeg":         {j[:len(j)-20], ErrTruncated},
		"G8 jpeg header alone":      {j[:100], ErrTruncated},
		"G8 truncated png":          {p[:len(p)-20], ErrTruncated},
		"G8 truncated heic":         {h[:len(h)-5], ErrTruncated},
		"heic without meta":         {mkbox("ftyp", []byte("heic\x00\x00\x00\x00heic")), ErrTruncated},
		"png with a wrong sum":      {flip(p, len(p)-30), ErrTruncated},
		"bomb: png header":          {hugePNG(), ErrBomb},
		"bomb: png data":            {stuffedPNG(t), ErrBomb},
		"bomb: heic header":         {makeHEIC(far), ErrBomb},
		"polyglot: zip behind jpeg": {append(bytes.Clone(j), "PK\x03\x04rest of an archive"...), ErrPolyglot},
		"polyglot: zip behind png":  {append(bytes.Clone(p), "PK\x03\x04rest of an archive"...), ErrPolyglot},
		"polyglot: pdf in jpeg":     {comment("%PDF-1.7 and so on"), ErrPolyglot},
		"polyglot: script in jpeg":  {comment("<script>alert(1)</script>"), ErrPolyglot},
		"polyglot: zip in heic":     {makeHEIC(zip), ErrPolyglot},
		"polyglot: html behind two": {append(append(bytes.Clone(j), j...), "<html>\xff\xd9"...), ErrPolyglot},
	} {
		_, err := Check(tt.data, 0)
		if !errors.Is(err, tt.why) || dossier.KindOf(err) != dossier.Invalid {
			t.Errorf("%s: got %v, want %v", name, err, tt.why)
		}
	}
}

func flip(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 0x40
	return b
}

func chunk(kind string, body []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	out = append(append(out, kind...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

func hugePNG() []byte {
	head := []byte{0, 1, 0, 0, 0, 1, 0, 0, 16, 6, 0, 0, 0}
	return bytes.Join([][]byte{[]byte(pngMagic), chunk("IHDR", head), chunk("IDAT", nil), chunk("IEND", nil)}, nil)
}

// stuffedPNG promises one pixel and unpacks to 64 by 64.
func stuffedPNG(t *testing.T) []byte {
	p := makePNG(t, 64, 64)
	head := bytes.Clone(p[16 : 16+13])
	copy(head, []byte{0, 0, 0, 1, 0, 0, 0, 1})
	return bytes.Join([][]byte{[]byte(pngMagic), chunk("IHDR", head), p[33:]}, nil)
}

func TestSizeLimit(t *testing.T) {
	t.Parallel()
	j := makeJPEG(t, 16, 16)
	for name, tt := range map[string]struct {
		limit int
		ok    bool
	}{"under": {len(j) + 1, true}, "at": {len(j), true}, "over": {len(j) - 1, false}} {
		_, err := Check(j, tt.limit)
		if (err == nil) != tt.ok {
			t.Errorf("G-101 %s the limit: %v", name, err)
		}
	}
	_, err := Check(make([]byte, DefaultMaxBytes+1), 0)
	if !errors.Is(err, ErrSize) || !strings.Contains(dossier.Message(err), "the limit is 5 MiB") {
		t.Errorf("G-085 over the default limit: %v", err)
	}
}

func tiff(order binary.AppendByteOrder, mark string, orientation uint16, gps string) []byte {
	b := []byte(mark)
	b = order.AppendUint16(b, 42)
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint16(b, 0x0112)
	b = order.AppendUint16(b, 3)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint16(b, orientation)
	b = order.AppendUint16(b, 0)
	b = order.AppendUint16(b, 0x8825)
	b = order.AppendUint16(b, 4)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint32(b, 38)
	b = order.AppendUint32(b, 0)
	return append(b, gps...)
}

func TestStripsMetadata(t *testing.T) {
	t.Parallel()
	const secret = "GPS-12.97N-77.59E SERIAL-00042"
	j := makeJPEG(t, 32, 32)
	with := func(order binary.AppendByteOrder, mark string, orientation uint16) []byte {
		body := append([]byte("Exif\x00\x00"), tiff(order, mark, orientation, secret)...)
		seg := append([]byte{0xff, 0xe1, 0, byte(len(body) + 2)}, body...)
		return append(append(bytes.Clone(j[:2]), seg...), j[2:]...)
	}
	p := makePNG(t, 32, 32)
	text := bytes.Join([][]byte{p[:33], chunk("tEXt", []byte("Comment\x00"+secret)), chunk("eXIf", []byte(secret)), p[33:]}, nil)
	heic := goodHEIC
	heic.exif, heic.gap = secret, "unclaimed "+secret
	for name, data := range map[string][]byte{
		"jpeg": with(binary.BigEndian, "MM", 1), "jpeg little-endian, turned": with(binary.LittleEndian, "II", 6),
		"png": text, "heic": makeHEIC(heic),
	} {
		if !bytes.Contains(data, []byte("SERIAL-00042")) {
			t.Fatalf("%s: the test file does not hold the secret", name)
		}
		got, err := Check(data, 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if bytes.Contains(got.Data, []byte("GPS")) || bytes.Contains(got.Data, []byte("SERIAL")) {
			t.Errorf("%s: the location or serial number is still there", name)
		}
	}
	turned, err := Check(with(binary.LittleEndian, "II", 6), 0)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(turned.Data[2:], []byte("\xff\xe1\x00\x22Exif\x00\x00")) || orientationOf(turned.Data[12:]) != 6 {
		t.Errorf("the orientation is lost: % x", turned.Data[:40])
	}
	if _, err := jpeg.Decode(bytes.NewReader(turned.Data)); err != nil {
		t.Errorf("the cleaned file cannot be decoded: %v", err)
	}
	clean, _ := Check(text, 0)
	if _, err := png.Decode(bytes.NewReader(clean.Data)); err != nil {
		t.Errorf("the cleaned PNG cannot be decoded: %v", err)
	}
}

// Feature: gatepass-ai-agent, Property 7: JPEG, PNG and HEIC are accepted by content,
// every other content is refused.
func TestProperty7(t *testing.T) {
	t.Parallel()
	foreign := []string{"GIF89a", "RIFF0000WEBP", "%PDF-1.4", "BM", "II*\x00", "PK\x03\x04", "\x00\x00\x00\x1cftypavif\x00\x00\x00\x00mif1avif", "hello", "<svg", ""}
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h")
		var good bytes.Buffer
		var want Format
		switch rapid.IntRange(0, 2).Draw(t, "format") {
		case 0:
			want = JPEG
			_ = jpeg.Encode(&good, picture(w, h), &jpeg.Options{Quality: rapid.IntRange(1, 100).Draw(t, "quality")})
		case 1:
			want = PNG
			_ = png.Encode(&good, picture(w, h))
		case 2:
			want = HEIC
			s := goodHEIC
			s.w, s.h = uint32(w), uint32(h)
			s.brand = rapid.SampledFrom(heicBrands).Draw(t, "brand")
			good.Write(makeHEIC(s))
		}
		p, err := Check(good.Bytes(), 0)
		if err != nil || p.Format != want || p.Width != w || p.Height != h {
			t.Fatalf("Property 7: a good %s: %v %+v", want, err, p.Format)
		}
		bad := rapid.SampledFrom(foreign).Draw(t, "foreign") + string(rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "rest"))
		if _, err := Check([]byte(bad), 0); !errors.Is(err, ErrFormat) {
			t.Fatalf("Property 7: %q: %v", bad[:min(len(bad), 20)], err)
		}
	})
}

// Feature: gatepass-ai-agent, Property 8: a file over the configured maximum is
// refused and the error states the limit.
func TestProperty8(t *testing.T) {
	t.Parallel()
	j := makeJPEG(t, 64, 64)
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1<<10, 64<<10).Draw(t, "limit")
		n := rapid.OneOf(rapid.IntRange(0, 2*limit), rapid.SampledFrom([]int{limit - 1, limit, limit + 1})).Draw(t, "size")
		data := append(bytes.Clone(j), make([]byte, max(0, n-len(j)))...)
		_, err := Check(data, limit)
		if len(data) > limit {
			if !errors.Is(err, ErrSize) || !strings.Contains(dossier.Message(err), "the limit is "+size(limit)) {
				t.Fatalf("Property 8: %d bytes over %d: %v", len(data), limit, err)
			}
		} else if err != nil {
			t.Fatalf("Property 8: %d bytes within %d: %v", len(data), limit, err)
		}
	})
}

func FuzzCheck(f *testing.F) {
	f.Add(makeJPEG(f, 8, 8))
	f.Add(makePNG(f, 8, 8))
	f.Add(makeHEIC(goodHEIC))
	exif := goodHEIC
	exif.exif = "Exif GPS"
	f.Add(makeHEIC(exif))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Check(data, 1<<20)
		if err != nil {
			if dossier.KindOf(err) != dossier.Invalid {
				t.Fatalf("an error without a kind: %v", err)
			}
			return
		}
		again, err := Check(p.Data, 2<<20)
		if err != nil || !bytes.Equal(again.Data, p.Data) {
			t.Fatalf("what was kept is not what would be kept again: %v", err)
		}
	})
}
