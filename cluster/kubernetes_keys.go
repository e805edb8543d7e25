package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// A kubeKeys holds the paths of a control plane's certificates and the token of its single user,
// who has all rights.
type kubeKeys struct {
	ca, cert, key string // PEM files of the servers; the same key signs service accounts
	users         string // file of the users and their tokens
	token         string
}

// newKubeKeys creates all files in a directory.
func newKubeKeys(dir string) (kubeKeys, error) {
	k := kubeKeys{token: rand.Text()}
	write := func(name string, b []byte) (string, error) {
		file := filepath.Join(dir, name)
		return file, os.WriteFile(file, b, 0o600)
	}
	cert, key, err := selfSigned()
	if err != nil {
		return k, err
	}
	// The certificate is self-signed, so it is also the authority that verifies it.
	if k.cert, err = write("server.crt", cert); err != nil {
		return k, err
	}
	k.ca = k.cert
	if k.key, err = write("server.key", key); err != nil {
		return k, err
	}
	k.users, err = write("users.csv", []byte(k.token+",torture,torture,system:masters\n"))
	return k, err
}

// args returns the arguments of an API server that uses these keys.
func (k kubeKeys) args() []string {
	return []string{
		"--tls-cert-file=" + k.cert, "--tls-private-key-file=" + k.key, "--token-auth-file=" + k.users,
		"--service-account-key-file=" + k.cert, "--service-account-signing-key-file=" + k.key,
	}
}

// selfSigned creates a certificate of a server on loopback, valid for a day, and its key, in PEM.
func selfSigned() (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial := make([]byte, 8)
	if _, err := rand.Read(serial); err != nil {
		return nil, nil, err
	}
	now := time.Now()
	t := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(serial), Subject: pkix.Name{CommonName: "torture " + hex.EncodeToString(serial)},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, private.Public(), private)
	if err != nil {
		return nil, nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), nil
}
