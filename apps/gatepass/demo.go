package gatepass

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"time"

	"dossier"
	"dossier/apps/gatepass/office"
	"dossier/apps/gatepass/pass"
)

var (
	demoHR    = office.Person{Principal: dossier.Principal{ID: "demo-hr", Name: "Hema Rao"}}
	demoAdmin = office.Person{Principal: dossier.Principal{ID: "demo-admin", Name: "Meera Iyer"}}
	demoGate  = office.Person{Principal: dossier.Principal{ID: "demo-gate", Name: "Gopal Das"}}
)

// demoPasses are people in every stage of a day at the gate. The ops are done in order.
var demoPasses = []struct {
	person, purpose string
	returnable      bool
	ops             []pass.Op
}{
	{"Ravi Kumar", "visit to the bank", true, []pass.Op{pass.Approve, pass.Exit, pass.Return}},
	{"Priya Nair", "doctor's appointment", true, []pass.Op{pass.Approve, pass.Exit}},
	{"John Mathew", "site inspection at Whitefield", false, []pass.Op{pass.Approve, pass.Exit}},
	{"John D'Souza", "collecting samples", true, []pass.Op{pass.Approve}},
	{"Fatima Sheikh", "passport office", true, []pass.Op{pass.Approve}},
	{"Sunil Sharma", "personal work", true, []pass.Op{pass.Reject}},
	{"Kavitha Raman", "parent-teacher meeting", true, nil},
	{"Arjun Singh", "vehicle repair", false, nil},
	{"Lakshmi Narayanan", "client visit", true, nil},
	{"Test Entry", "made by mistake", false, []pass.Op{pass.Delete}},
}

// demo loads a day at the gate, once.
func (h *house) demo(ctx context.Context) error {
	have, err := h.office.List(ctx, office.Query{Limit: 1})
	if err != nil || have.Total > 0 {
		return err
	}
	for i, d := range demoPasses {
		n := office.New{Person: d.person, Purpose: d.purpose, Returnable: &d.returnable}
		if d.returnable {
			n.ReturnBy = h.env.Now().Add(time.Duration(2+i) * time.Hour).UTC().Format(time.RFC3339)
		}
		p, err := h.office.Create(ctx, demoHR, n)
		if err != nil {
			return err
		}
		for _, op := range d.ops {
			if err := h.demoMove(ctx, p, op, i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h *house) demoMove(ctx context.Context, p pass.Pass, op pass.Op, i int) error {
	who, m := demoAdmin, office.Move{Op: op}
	if op == pass.Exit || op == pass.Return {
		who = demoGate
		ph, err := h.office.CheckPhoto(portrait(i, op == pass.Return))
		if err != nil {
			return err
		}
		if err := h.office.PutPhoto(ctx, ph); err != nil {
			return err
		}
		m.Photo = &ph
	}
	_, err := h.office.Do(ctx, who, p.Number, m)
	return err
}

// portrait draws a stand-in for a photo: a head and shoulders in plain colours.
func portrait(i int, back bool) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 160, 200))
	bg, skin, shirt := color.RGBA{200, 215, 230, 255}, color.RGBA{uint8(150 + 9*i%80), 120, 90, 255}, color.RGBA{uint8(40 * i % 200), uint8(90 + 30*i%120), 140, 255}
	if back {
		bg = color.RGBA{225, 215, 195, 255}
	}
	for y := range 200 {
		for x := range 160 {
			c := bg
			if dx, dy := x-80, y-80; dx*dx*16+dy*dy*9 < 16*9*16*16 {
				c = skin
			} else if dx, dy := x-80, y-200; dx*dx+dy*dy < 65*65 {
				c = shirt
			}
			m.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 85}); err != nil {
		panic("encode portrait: " + err.Error()) // a fixed picture always encodes
	}
	return b.Bytes()
}
