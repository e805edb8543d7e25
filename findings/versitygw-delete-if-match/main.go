// versitygw v1.8.0 (posix): DELETE with If-Match is not atomic. A conditional PUT and a
// conditional DELETE that name the same ETag both succeed, although each makes the other's
// condition false.
//
// Since pull request 2288 a conditional PUT checks under a lock of the key and then puts the
// file in its place. DeleteObject compares the ETag with that of the file and removes the
// file, without that lock, so it can come between the check and the new file. Whoever deletes
// is told that the object is gone while one stands there; whoever puts is told that it has
// replaced an object that was deleted before. A lock on S3 that is released by DELETE and
// taken over by PUT tells both sides yes. DeleteObject could take the lock of PutObject
// (lockObjectPublish) for check and removal.
//
// Needs versitygw on PATH. Exit 1: the failure showed.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const rounds = 500

func main() { os.Exit(run()) }

func run() int {
	addr, stop := versitygw()
	defer stop()
	ctx, store := context.Background(), client(addr)

	lost, both := 0, 0
	for n := range rounds {
		key := aws.String(fmt.Sprint("lock-", n))

		// 1. An object stands there.
		was, err := store.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("mine")})
		check(err)

		// 2. One client replaces it and another deletes it, at once, each if it is still
		// that object.
		var put, del error
		var wg sync.WaitGroup
		wg.Go(func() {
			_, put = store.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("another's"), IfMatch: was.ETag})
		})
		wg.Go(func() {
			_, del = store.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: key, IfMatch: was.ETag})
		})
		wg.Wait()

		// 3. If the PUT was first, the DELETE must be refused (412); if the DELETE was, the
		// PUT must be.
		if put != nil || del != nil {
			continue
		}
		both++
		if _, err := store.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: key}); err != nil {
			lost++
		}
	}
	fmt.Printf("%d of %d times both succeeded; %d times what was put is gone\n", both, rounds, lost)
	return min(both, 1)
}

var bucket = aws.String("bucket")

func client(addr string) *s3.Client {
	login := aws.Credentials{AccessKeyID: "key", SecretAccessKey: "secret"}
	return s3.New(s3.Options{
		BaseEndpoint: aws.String("http://" + addr), Region: "us-east-1", UsePathStyle: true, Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return login, nil }),
	})
}

// versitygw starts a gateway on a directory with one bucket.
func versitygw() (addr string, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	addr = l.Addr().String()
	l.Close()
	dir, err := os.MkdirTemp("", "versitygw")
	check(err)
	check(os.Mkdir(filepath.Join(dir, *bucket), 0o755))
	server := exec.Command("versitygw", "--port", addr, "--access", "key", "--secret", "secret", "--quiet", "posix", dir)
	check(server.Start())
	for _, err := net.Dial("tcp", addr); err != nil; _, err = net.Dial("tcp", addr) {
		time.Sleep(20 * time.Millisecond)
	}
	return addr, func() { server.Process.Kill(); server.Wait(); os.RemoveAll(dir) }
}

func check(err error) {
	if err != nil {
		panic(err) // exit 2
	}
}
