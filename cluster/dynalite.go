package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// dynamoTable is the table of locks in the topology dynalite. Its key is the string "id".
const dynamoTable = "locks"

// startDynalite starts one dynalite, and makes its table after every start if the table is missing.
func startDynalite(ctx context.Context, b *builder) error {
	ports, err := b.reserve(1)
	if err != nil {
		return err
	}
	table := func(ctx context.Context) error { return makeTable(ctx, local(ports[0])) }
	if err := b.start(ctx, Spec{Server: "dynalite", Name: "dynalite-1", Ports: ports, Ready: table}); err != nil {
		return err
	}
	if err := table(ctx); err != nil {
		return err
	}
	return b.linkClients()
}

const (
	tableTime = 5 * time.Second // bound on the creation of a table
	tablePoll = 5 * time.Millisecond
)

// makeTable makes the table if it is missing, and returns once the table is active.
func makeTable(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, tableTime)
	defer cancel()
	_, err := askDynamo(ctx, addr, "CreateTable", map[string]any{
		"TableName":            dynamoTable,
		"AttributeDefinitions": []any{map[string]string{"AttributeName": "id", "AttributeType": "S"}},
		"KeySchema":            []any{map[string]string{"AttributeName": "id", "KeyType": "HASH"}},
		"BillingMode":          "PAY_PER_REQUEST",
	})
	if err != nil && !strings.Contains(err.Error(), "ResourceInUseException") {
		return fmt.Errorf("make table: %w", err)
	}
	for {
		answer, err := askDynamo(ctx, addr, "DescribeTable", map[string]any{"TableName": dynamoTable})
		if err != nil {
			return fmt.Errorf("describe table: %w", err)
		}
		var is struct{ Table struct{ TableStatus string } }
		if err := json.Unmarshal(answer, &is); err != nil || is.Table.TableStatus == "ACTIVE" {
			return err
		}
		time.Sleep(tablePoll)
	}
}

// askDynamo sends one request. dynalite requires a signature but does not check it.
func askDynamo(ctx context.Context, addr, operation string, body any) ([]byte, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/", bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	req.Close = true
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	req.Header.Set("X-Amz-Date", time.Now().UTC().Format("20060102T150405Z"))
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=torture/20000101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, bytes.TrimSpace(answer))
	}
	return answer, err
}
