package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"locktorture/cluster"
)

// ownAuthority makes a CA, and a certificate for localhost by name only: who checks a
// proxy's address must fail. It returns the paths of CA, certificate and key.
func ownAuthority(t *testing.T) (ca, cert, key string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	make := func(c, parent *x509.Certificate, signer *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
		own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if signer == nil {
			signer = own
		}
		der, err := x509.CreateCertificate(rand.Reader, c, parent, &own.PublicKey, signer)
		if err != nil {
			t.Fatal(err)
		}
		return der, own
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a test's CA"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	rootDER, rootKey := make(root, root, nil)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"}, NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, KeyUsage: x509.KeyUsageDigitalSignature,
	}
	leafDER, leafKey := make(leaf, root, rootKey)
	keyDER, err := x509.MarshalECPrivateKey(leafKey)
	if err != nil {
		t.Fatal(err)
	}
	return write("ca.pem", "CERTIFICATE", rootDER), write("cert.pem", "CERTIFICATE", leafDER), write("key.pem", "EC PRIVATE KEY", keyDER)
}

// aPort is a port that nobody else gets until the test has ended: no cluster of this machine,
// and no outgoing connection, as a port that the kernel has just chosen may be.
func aPort(t *testing.T) string {
	t.Helper()
	var ports cluster.Ports
	t.Cleanup(func() { ports.Close() })
	port, err := ports.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}

// gossipPort is a port for a server that needs the UDP port, too, with which a cluster
// reserves. It lies below those.
func gossipPort(t *testing.T) string {
	t.Helper()
	for range 100 {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(10000+mathrand.IntN(10000)))
		l, err := net.Listen("tcp", addr)
		if err != nil {
			continue
		}
		defer l.Close()
		p, err := net.ListenPacket("udp", addr)
		if err != nil {
			continue
		}
		defer p.Close()
		_, port, _ := net.SplitHostPort(addr)
		return port
	}
	t.Fatal("no free port")
	return ""
}
