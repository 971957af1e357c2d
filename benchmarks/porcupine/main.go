// Command porcupine checks a history of `uniserve chaos` with Porcupine, a checker that shares no code with Uniserve's own.
//
//	go run . chaos.jsonl
//
// It judges what is promised of a single list of the eventual table `lists` at level ISR: among the appends of the client that
// reads, appends of all others, and the read, there is an order in which the read gives what was appended before it. Reads,
// of one client too, need not agree on how far others' appends are (that is the eventual level), so each read is checked
// apart. Every list of the table `atoms` is checked with all reads of all clients together: it must be linearizable.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

type value struct {
	Table   string          `json:"table"`
	List    *int            `json:"list"`
	Lists   []int           `json:"lists"`
	Marker  string          `json:"marker"`
	Mode    string          `json:"mode"`
	Markers json.RawMessage `json:"markers"`
}

type event struct {
	Process string `json:"process"`
	Type    string `json:"type"`
	F       string `json:"f"`
	Value   value  `json:"value"`
	TimeNs  int64  `json:"time_ns"`
}

type input struct {
	append bool
	marker string
}

// modelOf gives the model of one list, whose state is its markers, each followed by a comma. Lists only grow, so until the
// longest list that was read is there, every state is a beginning of it: without that the search would try all orders.
func modelOf(reads []porcupine.Operation) porcupine.Model {
	longest := ""
	for _, read := range reads {
		if list := read.Output.(string); len(list) > len(longest) {
			longest = list
		}
	}
	return porcupine.Model{
		Init: func() interface{} { return "" },
		Step: func(state, in, out interface{}) (bool, interface{}) {
			list := state.(string)
			op := in.(input)
			if op.append {
				next := list + op.marker + ","
				return len(list) >= len(longest) || strings.HasPrefix(longest, next), next
			}
			return out.(string) == list, state
		},
	}
}

const never = int64(1) << 62

type key struct {
	table string
	list  int
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: porcupine HISTORY")
		os.Exit(2)
	}
	appends, reads, err := load(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "porcupine:", err)
		os.Exit(2)
	}
	keys := map[key]bool{}
	for k := range reads {
		keys[k] = true
	}
	ordered := make([]key, 0, len(keys))
	for k := range keys {
		ordered = append(ordered, k)
	}
	sort.Slice(ordered, func(i, j int) bool {
		return ordered[i].table < ordered[j].table || ordered[i].table == ordered[j].table && ordered[i].list < ordered[j].list
	})
	checked, bad, unknown := 0, 0, 0
	for _, k := range ordered {
		for _, ops := range groups(k, reads[k]) {
			result := porcupine.CheckOperationsTimeout(modelOf(ops), history(appends[k], ops, k.table == "lists"), 30*time.Second)
			checked++
			switch result {
			case porcupine.Illegal:
				bad++
				fmt.Printf("%s list %d, read at %d ns by client %d: not linearizable\n", k.table, k.list, ops[0].Call, ops[0].ClientId)
			case porcupine.Unknown:
				unknown++
			}
		}
	}
	fmt.Printf("{\"cmd\":\"porcupine\",\"checked\":%d,\"illegal\":%d,\"undecided\":%d,\"pass\":%t}\n", checked, bad, unknown, bad == 0)
	if bad > 0 {
		os.Exit(1)
	}
}

// groups gives the reads to check together: each by itself of the eventual table, all of the atomic one.
func groups(k key, ops []porcupine.Operation) [][]porcupine.Operation {
	if k.table != "lists" {
		return [][]porcupine.Operation{ops}
	}
	var each [][]porcupine.Operation
	for _, op := range ops {
		each = append(each, []porcupine.Operation{op})
	}
	return each
}

// history joins appends and reads. Appends that no read shows and whose end is unknown are left out: they may never have
// happened. For a reader of the eventual table the appends of others may take effect later than they were told to others.
func history(appends, reads []porcupine.Operation, eventual bool) []porcupine.Operation {
	seen := map[string]bool{}
	for _, read := range reads {
		for _, marker := range strings.Split(read.Output.(string), ",") {
			seen[marker] = true
		}
	}
	ops := append([]porcupine.Operation{}, reads...)
	for _, op := range appends {
		own := op.ClientId == reads[0].ClientId
		if eventual && !own || op.Return == never {
			if !seen[op.Input.(input).marker] {
				continue
			}
			op.Return = never
		}
		ops = append(ops, op)
	}
	return ops
}

func load(path string) (map[key][]porcupine.Operation, map[key][]porcupine.Operation, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	appends, reads := map[key][]porcupine.Operation{}, map[key][]porcupine.Operation{}
	clients, open := map[string]int{}, map[string]event{}
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 1<<20), 1<<26)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", lines.Text(), err)
		}
		if e.Process == "nemesis" {
			continue
		}
		if _, known := clients[e.Process]; !known {
			clients[e.Process] = len(clients)
		}
		if e.Type == "invoke" {
			open[e.Process] = e
			continue
		}
		begun := open[e.Process]
		delete(open, e.Process)
		if e.Type == "fail" {
			continue
		}
		if err := add(appends, reads, clients[e.Process], begun, e); err != nil {
			return nil, nil, err
		}
	}
	return appends, reads, lines.Err()
}

func add(appends, reads map[key][]porcupine.Operation, client int, begun, e event) error {
	v := e.Value
	if e.F == "append" {
		end := e.TimeNs
		if e.Type == "info" {
			end = never
		}
		for _, list := range v.Lists {
			k := key{v.Table, list}
			appends[k] = append(appends[k], porcupine.Operation{ClientId: client, Input: input{true, v.Marker}, Call: begun.TimeNs, Output: "", Return: end})
		}
		return nil
	}
	if v.Mode == "stale" || e.Type == "info" {
		return nil
	}
	lists := map[string][]string{}
	if v.List != nil {
		var markers []string
		if err := json.Unmarshal(v.Markers, &markers); err != nil {
			return err
		}
		lists[strconv.Itoa(*v.List)] = markers
	} else if err := json.Unmarshal(v.Markers, &lists); err != nil {
		return err
	}
	for name, markers := range lists {
		list, err := strconv.Atoi(name)
		if err != nil {
			return err
		}
		text := ""
		for _, marker := range markers {
			text += marker + ","
		}
		k := key{v.Table, list}
		reads[k] = append(reads[k], porcupine.Operation{ClientId: client, Input: input{false, ""}, Call: begun.TimeNs, Output: text, Return: e.TimeNs})
	}
	return nil
}
