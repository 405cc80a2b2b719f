package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var made = time.Date(2026, 11, 16, 10, 0, 0, 0, time.UTC)

// content returns what a document draws.
func content(t *testing.T, s *Sheet) string {
	t.Helper()
	doc, err := s.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, m := range regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`).FindAllSubmatch(doc, -1) {
		r, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			continue
		}
		raw, _ := io.ReadAll(r) // a stream that is no text is of no interest
		out.Write(raw)
	}
	return out.String()
}

func TestPlainTextStaysText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Ravi Kumar", "José Müller-Ångström", "D’Souza – “Goa”"} {
		s := New("A5", "x", made)
		s.Text(text, 10, 20, Type{Size: 10})
		got := content(t, s)
		if !strings.Contains(got, "Tj") || strings.Contains(got, "BDC") || s.Lacks() {
			t.Errorf("%q is not written as text: %s", text, got)
		}
	}
}

// Conjuncts become one shape, vowel signs change places, and nothing is missing.
func TestShaping(t *testing.T) {
	t.Parallel()
	s := New("A5", "x", made)
	tests := []struct {
		text  string
		most  int // glyphs: fewer than letters where letters join
		least float64
	}{
		{"क्ष", 1, 0.3},
		{"लक्ष्मी", 4, 1.2},
		{"रवि कुमार", 9, 2},
		{"श्रीनिवास", 7, 1.5},
		{"Śrī Čapek Łódź", 14, 5},
		{"தமிழ்", 5, 1.5},
		{"ক্ষমা", 3, 0.8},
		{"ಕೃಷ್ಣ", 5, 0.5},
		{"కృష్ణ", 5, 0.5},
		{"കൃഷ്ണൻ", 6, 0.5},
		{"કૃષ્ણ", 5, 0.5},
		{"ਕ੍ਰਿਸ਼ਨ", 6, 0.5},
		{"କୃଷ୍ଣ", 5, 0.5},
	}
	for _, tt := range tests {
		l := s.shaped(tt.text)
		if l.lacks || len(l.glyphs) > tt.most || l.width < tt.least || l.width > 0.9*float64(len([]rune(tt.text))) {
			t.Errorf("%s: %d glyphs, %.2f wide, lacks %v", tt.text, len(l.glyphs), l.width, l.lacks)
		}
	}
	// The sign for i is written after its consonant and stands before it.
	ki, k := s.shaped("कि"), s.shaped("क")
	if len(ki.glyphs) != 2 || len(ki.glyphs[1].outline) != len(k.glyphs[0].outline) || ki.glyphs[1].x == 0 {
		t.Errorf("the vowel sign stays behind its consonant: %d glyphs", len(ki.glyphs))
	}
}

func TestOutlinesCarryTheirText(t *testing.T) {
	t.Parallel()
	s := New("A5", "x", made)
	s.Text("रवि", 10, 20, Type{Size: 10})
	got := content(t, s)
	if !strings.Contains(got, "/ActualText <FEFF09300935093F>") {
		t.Errorf("no text goes with the outlines: %.200s", got)
	}
	if n := strings.Count(got, "\nf\n"); n < 3 {
		t.Errorf("%d shapes are filled, want one for each glyph", n)
	}
	if strings.Contains(got, "?") {
		t.Error("a letter came out as a question mark")
	}
}

func TestLacks(t *testing.T) {
	t.Parallel()
	s := New("A5", "x", made)
	s.Text("王小明", 10, 20, Type{Size: 10})
	if !s.Lacks() {
		t.Error("a letter without a font goes unnoticed")
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zA-Zéčक्षमरिवी]{1,60}`)
		text := strings.Join(rapid.SliceOfN(word, 1, 12).Draw(t, "words"), " ")
		s := New("A5", "x", made)
		typ := Type{Size: 10}
		lines := s.Wrap(text, 60, typ)
		for _, l := range lines {
			if w := s.Width(l, typ); w > 60 && len([]rune(l)) > 8 {
				t.Errorf("%q is %.1f wide", l, w)
			}
		}
		if got, want := strings.ReplaceAll(strings.Join(lines, ""), " ", ""), strings.ReplaceAll(text, " ", ""); got != want {
			t.Errorf("wrapping changed %q into %q", want, got)
		}
	})
}

func TestSameTwice(t *testing.T) {
	t.Parallel()
	docs := [2][]byte{}
	for i := range docs {
		s := New("A5", "रवि", made)
		s.Paragraph(strings.Repeat("लक्ष्मी नारायणन bank ", 20), 10, 20, 100, Type{Size: 10})
		var err error
		if docs[i], err = s.Bytes(); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(docs[0], docs[1]) {
		t.Error("the same page is drawn in two ways")
	}
}

func ExampleSheet_Wrap() {
	s := New("A5", "x", made)
	for _, l := range s.Wrap("to visit the bank at Whitefield", 30, Type{Size: 10}) {
		fmt.Println(l)
	}
	// Output:
	// to visit the bank at
	// Whitefield
}
