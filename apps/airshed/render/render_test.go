package render

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"strings"
	"testing"
	"time"

	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/sample"
)

func document(t *testing.T) Document {
	t.Helper()
	now := time.Date(2025, 11, 14, 8, 30, 0, 0, time.UTC)
	r := correlate.Defaults()
	snap := sample.November(now).Snapshot()
	_, all := correlate.Analyse(snap, correlate.Stations(), now, nil, r)
	d := Document{
		Report: legal.Compose(legal.Input{
			ID: "CAQM-2025-11-14-001", Now: now, Sweep: "sweep-1", Analysis: all[0], Rules: r,
			Sources: []legal.Source{{Name: "CPCB", Records: 4, Timestamp: now, AgeHours: 0.5}},
		}),
		VerifyURL: "https://dossier.example/verify/CASE-1", Outlines: [][][2]float64{{{76, 28}, {77, 29}, {78, 28}}},
	}
	d.Report.Evidence = []legal.Digest{{ID: "ev-1", Kind: "fire_set", Hash: strings.Repeat("ab", 32), Timestamp: now}}
	for _, i := range all[0].Correlation.Fires {
		d.Fires = append(d.Fires, Dot{snap.Fires[i].Point, snap.Fires[i].State})
	}
	return d
}

func TestHTML(t *testing.T) {
	t.Parallel()
	d := document(t)
	d.Report.ExecutiveSummary = `<script>alert("x")</script>`
	page, err := HTML(d)
	if err != nil {
		t.Fatal(err)
	}
	s := string(page)
	for _, want := range []string{"CAQM-2025-11-14-001", "IF Haryana reports 450", "CAQM Direction No. 95", "Section 12 of the CAQM Act, 2021", "<svg", "data:image/png;base64,", "Legal officer", "Not approved yet", "&lt;script&gt;", "low fire count", "ev-1", "Jind", "@page", "DRAFT: not approved and not filed", "14 Nov 2025 13:30 IST (08:00 UTC)", ">Haryana: 450</text>"} {
		if !strings.Contains(s, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(s, "<script") || strings.Contains(s, `src="http`) {
		t.Error("the page runs or fetches something")
	}
	if n := strings.Count(s, "<circle"); n < 620 {
		t.Errorf("%d circles: the fires are not on the map", n)
	}
	d.Signer, d.SignedAt = "Legal Officer", d.Report.Timestamp
	if page, _ = HTML(d); !strings.Contains(string(page), "Approved by Legal Officer on 14 Nov 2025 14:00 IST.") {
		t.Error("the signature is not shown")
	}
	if strings.Contains(string(page), "DRAFT") {
		t.Error("an approved report calls itself a draft")
	}
}

func TestFiledLine(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 11, 14, 8, 30, 0, 0, time.UTC)
	for want, res := range map[string]*filing.Result{
		"Not filed.":                                             nil,
		"Filed on 14 Nov 2025 14:00 IST.":                        {Status: filing.Success, Timestamp: at},
		"Filed on 14 Nov 2025 14:00 IST, receipt R-1.":           {Status: filing.Success, Receipt: &filing.Receipt{ReceiptID: "R-1", ReceivedAt: at}},
		"Kept, but not yet taken by the Commission. It is down.": {Status: filing.Partial, Problems: []string{"It is down."}},
	} {
		if got := (Document{Filed: res}).filed(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestScenes(t *testing.T) {
	t.Parallel()
	d := document(t)
	for name, s := range map[string]*scene{"map": drawMap(d), "chart": drawChart(d)} {
		dec := xml.NewDecoder(strings.NewReader(s.svg()))
		for {
			if _, err := dec.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s is not XML: %v", name, err)
			}
		}
		raw, err := s.png(1)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(raw))
		if err != nil || img.Bounds().Dx() != int(s.width) {
			t.Fatalf("%s: %v", name, err)
		}
		colours := map[[3]uint32]bool{}
		for y := 0; y < img.Bounds().Dy(); y += 2 {
			for x := 0; x < img.Bounds().Dx(); x += 2 {
				r, g, b, _ := img.At(x, y).RGBA()
				colours[[3]uint32{r >> 12, g >> 12, b >> 12}] = true
			}
		}
		if len(colours) < 10 {
			t.Errorf("%s has %d colours: nothing is drawn", name, len(colours))
		}
	}
}

func TestPDF(t *testing.T) {
	t.Parallel()
	d := document(t)
	pdf, err := PDF(d)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(pdf) < 50_000 || bytes.Count(pdf, []byte("/Type /Page\n")) < 2 {
		t.Errorf("%d bytes, %d pages", len(pdf), bytes.Count(pdf, []byte("/Type /Page\n")))
	}
	if n := bytes.Count(pdf, []byte("/Subtype /Image")); n < 3 {
		t.Errorf("%d pictures; map, chart and code are wanted", n)
	}
	// A report without fires, wind or share has pages too.
	d.Report.Transport = correlate.Transport{Verdict: correlate.NoWind}
	d.Report.FireCorrelation, d.Fires, d.Report.Timeline = nil, nil, correlate.Timeline{}
	if _, err := PDF(d); err != nil {
		t.Error(err)
	}
}
