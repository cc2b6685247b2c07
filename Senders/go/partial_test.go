package sealedpush

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func answers(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}
}

func threeRecipients() *Submission {
	return &Submission{Topic: topic, Class: "normal", Recipients: []SubmissionRecipient{
		{Device: "d0", Sealed: "S"}, {Device: "d1", Sealed: "S"}, {Device: "d2", Sealed: "S"}}}
}

const (
	acceptedD0 = `{"device":"d0","id":"i0","trace":"t0"}`
	acceptedD2 = `{"device":"d2","id":"i2","trace":"t2"}`
	rejectedD1 = `{"index":1,"device":"d1","problem":{"type":"urn:sealedpush:problem:invalid-fields","title":"T",` +
		`"status":422,"detail":"D","errors":[{"pointer":"/recipients/1/device","detail":"E"}]}}`
)

func TestAPartialSubmissionGivesEachRecipientItsIDOrItsProblem(t *testing.T) {
	s := newServer(t, answers(202, `{"notifications":[`+acceptedD0+`,`+acceptedD2+`],"rejected":[`+rejectedD1+`]}`))
	answer, err := s.relay(t).SendPartial(context.Background(), threeRecipients())
	if err != nil || len(answer.Accepted) != 2 || len(answer.Rejected) != 1 {
		t.Fatal(answer, err)
	}
	if answer.Accepted[0].ID != "i0" || answer.Accepted[1] != (Accepted{"d2", "i2", "t2"}) {
		t.Error(answer.Accepted)
	}
	rejected := answer.Rejected[0]
	if rejected.Index != 1 || rejected.Device != "d1" || rejected.Problem.Type != "urn:sealedpush:problem:invalid-fields" ||
		rejected.Problem.Status != 422 || rejected.Problem.Detail != "D" ||
		rejected.Problem.Errors[0] != (FieldProblem{"/recipients/1/device", "E"}) {
		t.Errorf("%+v %+v", rejected, rejected.Problem)
	}
}

func TestTheNameOfADeviceThatTheRelayOmitsIsTheSubmissions(t *testing.T) {
	unnamed := strings.Replace(rejectedD1, `"device":"d1",`, "", 1)
	s := newServer(t, answers(202, `{"notifications":[`+acceptedD0+`,`+acceptedD2+`],"rejected":[`+unnamed+`]}`))
	answer, err := s.relay(t).SendPartial(context.Background(), threeRecipients())
	if err != nil || answer.Rejected[0].Device != "d1" {
		t.Error(answer, err)
	}
}

func TestOnlyAPartialSubmissionSaysSoAndBothKeepTheirKey(t *testing.T) {
	s := newServer(t, problem(503, "draining"), answers(202, `{"notifications":[{"device":"d1","id":"i"}],"rejected":[]}`))
	sent := submission()
	if _, err := s.relay(t).SendPartial(context.Background(), sent); err != nil {
		t.Fatal(err)
	}
	if _, err := s.relay(t).SendPartial(context.Background(), sent); err != nil {
		t.Fatal(err)
	}
	if _, err := s.relay(t).Send(context.Background(), submission()); err != nil {
		t.Fatal(err)
	}
	for i, body := range s.bodies {
		var read map[string]any
		if err := json.Unmarshal([]byte(body), &read); err != nil {
			t.Fatal(err)
		}
		partial, isSaid := read["partial"]
		if isPartial := i < 3; isSaid != isPartial || isPartial && partial != true || isPartial != (body == s.bodies[0]) {
			t.Errorf("request %d: %s", i, body)
		}
	}
	if len(s.bodies) != 4 || sent.IdempotencyKey == "" {
		t.Error(len(s.bodies), "requests")
	}
}

func TestAnAnswerThatDoesNotNameEachRecipientOnceIsRefused(t *testing.T) {
	rejected := func(index, device string) string {
		return `{"index":` + index + `,"device":"` + device + `","problem":{"type":"t"}}`
	}
	for name, lists := range map[string][2]string{
		"one is left out":         {acceptedD0, rejectedD1},
		"one is in both":          {acceptedD0 + "," + `{"device":"d1","id":"i"}` + "," + acceptedD2, rejectedD1},
		"one is there twice":      {acceptedD0 + "," + acceptedD0, rejectedD1},
		"another order":           {acceptedD2 + "," + acceptedD0, rejectedD1},
		"one too many":            {acceptedD0 + "," + acceptedD2 + "," + acceptedD2, rejectedD1},
		"rejected twice":          {acceptedD0 + "," + acceptedD2, rejectedD1 + "," + rejectedD1},
		"beyond the last":         {acceptedD0 + "," + acceptedD2, rejected("3", "d1")},
		"a negative index":        {acceptedD0 + "," + acceptedD2, rejected("-1", "d1")},
		"another device":          {acceptedD0 + "," + acceptedD2, rejected("1", "d2")},
		"a device of another set": {acceptedD0 + "," + `{"device":"x","id":"i"}`, rejectedD1},
		"no problem":              {acceptedD0 + "," + acceptedD2, `{"index":1,"device":"d1"}`},
		"a problem of words":      {acceptedD0 + "," + acceptedD2, `{"index":1,"device":"d1","problem":"t"}`},
		"an index of words":       {acceptedD0 + "," + acceptedD2, rejected(`"1"`, "d1")},
		"nothing":                 {"", ""},
	} {
		s := newServer(t, answers(202, `{"notifications":[`+lists[0]+`],"rejected":[`+lists[1]+`]}`))
		answer, err := s.relay(t).SendPartial(context.Background(), threeRecipients())
		if !errors.As(err, new(*AnswerError)) || answer != nil || len(s.bodies) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoneThatCanBeSentToIsTheProblemOfTheFirst(t *testing.T) {
	s := newServer(t, problem(422, "invalid-fields"))
	var refused *Problem
	if _, err := s.relay(t).SendPartial(context.Background(), threeRecipients()); !errors.As(err, &refused) ||
		refused.Type != "urn:sealedpush:problem:invalid-fields" || len(s.bodies) != 1 {
		t.Error(err)
	}
}

func TestARejectedRecipientsWordsAreUntrusted(t *testing.T) {
	rejected := strings.Replace(rejectedD1, `"detail":"D"`, `"detail":"`+apiKey+`\u001b[2J`+strings.Repeat("l", 5000)+`"`, 1)
	s := newServer(t, answers(202, `{"notifications":[`+acceptedD0+`,`+acceptedD2+`],"rejected":[`+rejected+`]}`))
	answer, err := s.relay(t).SendPartial(context.Background(), threeRecipients())
	if err != nil {
		t.Fatal(err)
	}
	text := answer.Rejected[0].Problem.Error()
	if strings.Contains(text, apiKey) || strings.Contains(text, "\x1b") || len(text) > 1000 {
		t.Errorf("%q", text)
	}
}

func TestAThousandRejectedRecipientsAreRead(t *testing.T) {
	sent := &Submission{Topic: topic, Class: "normal", Recipients: []SubmissionRecipient{{Device: "d0", Sealed: "S"}}}
	var rejected []string
	for i := 1; i < 1000; i++ {
		device := fmt.Sprint("d", i)
		sent.Recipients = append(sent.Recipients, SubmissionRecipient{Device: device, Sealed: "S"})
		rejected = append(rejected, fmt.Sprintf(`{"index":%d,"device":"%s","problem":{"type":"t","detail":"%s"}}`, i, device,
			strings.Repeat("w", 1500)))
	}
	s := newServer(t, answers(202, `{"notifications":[`+acceptedD0+`],"rejected":[`+strings.Join(rejected, ",")+`]}`))
	answer, err := s.relay(t).SendPartial(context.Background(), sent)
	if err != nil || len(answer.Rejected) != 999 || answer.Rejected[998].Device != "d999" {
		t.Error(err)
	}
}
