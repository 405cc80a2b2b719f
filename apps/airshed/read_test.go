package airshed

import (
	"errors"
	"strings"
	"testing"
	"time"

	"dossier"
)

func TestReadTool(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	read := func(in readIn) (readOut, error) {
		out, err := b.read(t.Context(), call("CASE-none", b.Clock.Now()), in)
		return out.Value, err
	}
	name := b.lake.Name()
	t.Run("A-025 an empty lake", func(t *testing.T) {
		out, err := read(readIn{BucketName: name})
		if err != nil || out.Error != "S3 read failed" || out.Details == "" {
			t.Errorf("%+v, %v", out, err)
		}
	})
	t.Run("A-012 another bucket is refused", func(t *testing.T) {
		if _, err := read(readIn{BucketName: "elsewhere"}); !errors.Is(err, dossier.Invalid) {
			t.Error(err)
		}
	})
	t.Run("A-126 A-021 invalid JSON", func(t *testing.T) {
		b.put("data/bad.json", []byte(`{"cpcb_data": [`))
		if out, err := read(readIn{BucketName: name}); err != nil || out.Error != "Sensor data invalid" {
			t.Errorf("%+v, %v", out, err)
		}
	})
	t.Run("A-126 A-022 missing fields", func(t *testing.T) {
		b.Clock.Add(time.Minute)
		b.put("data/none.json", []byte(`{"timestamp":"2025-11-14T08:30:00Z"}`))
		if out, err := read(readIn{BucketName: name}); err != nil || out.Error != "CPCB data missing" {
			t.Errorf("%+v, %v", out, err)
		}
	})
	t.Run("A-013 A-015 A-016 A-017 A-018 A-058 the data", func(t *testing.T) {
		b.Clock.Add(time.Minute)
		b.upload(alipur())
		out, err := read(readIn{BucketName: name})
		if err != nil || out.Error != "" || len(out.CPCBData) != 3 || out.NASACount < 620 || len(out.NASAData) != shownFires || out.DSSData.Percent != 22.5 || out.Timestamp != "2025-11-14T08:30:00Z" || !out.Fresh {
			t.Fatalf("%+v, %v", out, err)
		}
		if r := out.CPCBData[0]; r.Station != "Alipur" || *r.AQI != 450 || *r.PM25 != 350.5 || *r.PM10 != 420.2 || r.Lat != 28.8 || r.Lon != 77.1 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("A-014 A-047 the schema", func(t *testing.T) {
		tools := map[string]string{}
		for _, x := range b.Kit.Agents[0].Tools {
			tools[x.Name] = string(x.Input.Text)
		}
		for _, want := range []string{`"bucket_name"`, `"prefix"`, `"security_context"`} {
			if !strings.Contains(tools["read_correlated_data_tool"], want) {
				t.Errorf("no %s in %s", want, tools["read_correlated_data_tool"])
			}
		}
		for _, want := range []string{`"report"`, `"save_local"`, `"upload_s3"`, `"security_context"`} { // A-043 A-044 A-045 A-046
			if !strings.Contains(tools["send_caqm_report_tool"], want) {
				t.Errorf("no %s in %s", want, tools["send_caqm_report_tool"])
			}
		}
	})
}
