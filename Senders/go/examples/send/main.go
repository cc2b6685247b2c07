// Sends a sealed message to a device through the relay.
package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"sealedpush.example/sealedpush"
)

func connect() (*sealedpush.Relay, error) {
	options := sealedpush.HTTPOptions{}
	// Only for a relay with a certificate of your own.
	if path := os.Getenv("RELAY_AUTHORITY"); path != "" {
		certificates, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		options.Roots = x509.NewCertPool()
		options.Roots.AppendCertsFromPEM(certificates)
	}
	return sealedpush.NewRelay(os.Getenv("RELAY"), os.Getenv("RELAY_KEY"), options)
}

func send(ctx context.Context, relay *sealedpush.Relay, id string, device sealedpush.Device, text string) (string, error) {
	sender, err := sealedpush.LoadSenderKey("sender.key")
	if err != nil {
		return "", err
	}
	pins, err := sealedpush.NewFilePins("pins")
	if err != nil {
		return "", err
	}
	bundle, err := relay.Bundle(ctx, id)
	if err != nil {
		return "", err
	}
	now := time.Now()
	recipient, err := device.Recipient(bundle, pins, now)
	if err != nil {
		return "", err
	}
	message := sealedpush.Message{Title: "Anna", Body: text}
	prepared, err := sealedpush.Prepare(message, now, sealedpush.Options{})
	if err != nil {
		return "", err
	}
	sealed, err := sender.Seal(prepared, recipient, now)
	if err != nil {
		return "", err
	}
	submission := &sealedpush.Submission{
		Topic: device.Topic, Class: "normal", Recipients: []sealedpush.SubmissionRecipient{sealed.For(id)},
	}
	accepted, err := relay.Send(ctx, submission)
	if err != nil {
		return "", err
	}
	return accepted[0].ID, nil
}

func main() {
	relay, err := connect()
	if err != nil {
		log.Fatal(err)
	}
	identity, err := sealedpush.ParseIdentityKey(os.Getenv("IDENTITY"))
	if err != nil {
		log.Fatal(err)
	}
	device := sealedpush.Device{Identity: identity, Topic: "com.example.chat"}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	id, err := send(ctx, relay, os.Getenv("DEVICE"), device, "See you at nine")
	var problem *sealedpush.Problem
	if errors.As(err, &problem) {
		// Detail says what to do; the notification was not taken.
		log.Fatal(problem.Detail)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id)
}
