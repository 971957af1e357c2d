---------------------------- MODULE UniserveReads ----------------------------
(* The read path: reads that do not ask ZooKeeper. One table.        *)
(* Epochs, prepare, the commit multi, learners and takeover are those of Uniserve.tla, shortened:   *)
(* votes are merged into Commit (a vote of another epoch than the current one never counts there).  *)
(* A crash with a durable log, a pause and a lost message all equal "takes no step".                *)
(* Rules = the rules in force. FIXED = {"gateVote", "resolve", "lease", "renewMap", "isr",          *)
(*   "applied", "round2", "base", "floor", "stop", "withhold", "order", "denied", "anew", "fresh",  *)
(*   "oldest"}; DRAFT = FIXED - {"gateVote", "resolve"} + {"gateAck"}                               *)
(* Not rules but finer steps, for smaller constants: restart, split, late, heard.                   *)
(* -deadlock, INVARIANTS I2 I3 I4 I5 I6, SYMMETRY Sym; A actors, S servers, V updates, E epochs;    *)
(*   how many states there are where no error is: README.md                                         *)
(*   DRAFT: I4 broken in 12 states (A1S2V1E1: no failure needed), I3 in 10 (A1S2V1E2)               *)
(*   FIXED less one: resolve 7 states, isr 7, withhold 7, stop 7, denied 7, applied 8, round2 9     *)
(*     (A2), gateVote 9, oldest 9 (V2), lease 10, order 10 (A2V2E1), renewMap 11, floor 11 (A2),    *)
(*     fresh 11 (heard), anew 13 (V2, late) and 15 (A2S1V2); split without checkLast 12; base       *)
(*     (A2V2E2) was 14 and has not been run again. With gateVote and resolve, gateAck is not        *)
(*     needed. know2 (second round waits for a newer log) is not needed either.                     *)
EXTENDS Naturals, FiniteSets, Sequences, TLC
CONSTANTS Actors, Servers, MaxV, MaxEpoch, Rules
VARIABLES isr, cert, dec, parts, claim, disc, inst, prep, app, base, know, out, acked, seen, lastV, rd
map == <<isr, cert>>             \* isr[a] = ISR by epoch (a sequence); cert[a] = learners certified in the current epoch
log == <<dec, parts>>            \* dec[v] = none | open (in flight) | C | A
tell == <<claim, disc>>          \* claim: their drivers may say "not disclosed"; disc: disclosed, others may act on them
srv == <<inst, prep, app, base, know, out>>
gho == <<acked, seen, lastV>>    \* ghosts: acked updates, updates seen by finished reads, their largest V*
vars == <<isr, cert, dec, parts, claim, disc, inst, prep, app, base, know, out, acked, seen, lastV, rd>>
(* inst[s][a] installed epoch; prep[s][a] durable PREPAREs; app[s][a] applied DECIDE(C)s; base[s][a] oldest snapshot *)
(* know[s] the V that server s knows (delayed watch on log); out[s][a] its lease has certainly run out               *)

Tx == 1..MaxV
Max(S) == CHOOSE x \in S \cup {0} : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Ep(a) == Len(isr[a])
ISR(a) == isr[a][Ep(a)]
Committed == {v \in Tx : dec[v] = "C"}
V == Max(disc)                   \* the newest that anybody tells; that in ZooKeeper may be newer
(* rep[a]: at = complete through it, MaxV + 1 = none yet; d = the updates in it; o = what it names open, 0 = nothing *)
NoRep == [at |-> MaxV + 1, d |-> {}, s |-> "none", o |-> 0]
Idle == [on |-> FALSE, q |-> {}, must |-> {}, gone |-> Tx, den |-> {}, low |-> 0, rep |-> [a \in Actors |-> NoRep]]

Init == /\ isr \in [Actors -> {<<I>> : I \in SUBSET Servers \ {{}}}] /\ cert = [a \in Actors |-> {}]
        /\ dec = [v \in Tx |-> "none"] /\ parts = [v \in Tx |-> {}] /\ claim = Tx /\ disc = {}
        /\ inst = [s \in Servers |-> [a \in Actors |-> 1]]
        /\ prep = [s \in Servers |-> [a \in Actors |-> {}]] /\ app = prep
        /\ base = [s \in Servers |-> [a \in Actors |-> 0]]
        /\ know = [s \in Servers |-> 0] /\ out = [s \in Servers |-> [a \in Actors |-> FALSE]]
        /\ acked = {} /\ seen = {} /\ lastV = 0 /\ rd = Idle

(* ---- updates ---- *)
Begin == \E v \in Tx, P \in SUBSET Actors \ {{}} :
  /\ dec[v] = "none" /\ \A w \in 1..(v-1) : dec[w] \in {"C", "A"}
  /\ dec' = [dec EXCEPT ![v] = "open"] /\ parts' = [parts EXCEPT ![v] = P]
  /\ UNCHANGED <<map, tell, srv, gho, rd>>
InDoubt(s, a) == {v \in prep[s][a] \ app[s][a] : dec[v] # "A"}
Oldest(s, a) == IF InDoubt(s, a) = {} THEN 0 ELSE Min(InDoubt(s, a))      \* the doubt that readers are told of
(* any primary of the epoch that s has installed may send it: a deposed one too, and late *)
Prepare(s, a, v) ==
  /\ dec[v] # "none" /\ a \in parts[v] /\ v \notin prep[s][a]
  /\ \A u \in InDoubt(s, a) : u \in disc /\ u < v        \* decided in its log, perhaps not applied yet
  /\ dec[v] = "open" \/ inst[s][a] < Ep(a)
  /\ s \in isr[a][inst[s][a]] \/ (inst[s][a] = Ep(a) /\ s \in cert[a])
  /\ prep' = [prep EXCEPT ![s][a] = @ \cup {v}]
  /\ UNCHANGED <<map, log, tell, inst, app, base, know, out, gho, rd>>
(* replicas outside the ISR that still believe they are in it, with a lease that may still run *)
Unfenced(a) == {s \in Servers \ ISR(a) : s \in isr[a][inst[s][a]] /\ ~out[s][a]}
Commit(v) ==
  /\ dec[v] = "open"
  /\ \A a \in parts[v] : /\ \A s \in ISR(a) \cup cert[a] : v \in prep[s][a] /\ inst[s][a] = Ep(a)
                         /\ "gateVote" \in Rules => Unfenced(a) = {}
  /\ dec' = [dec EXCEPT ![v] = "C"]
  /\ UNCHANGED <<map, parts, tell, srv, gho, rd>>
(* The first disclosure is the linearization point. Who tells of v tells of all before it, as a copy of the log has them, *)
(* and so waits until these are claimed no more (rule order)                                                              *)
Disclose(v) == LET D == {w \in Committed : w <= v} IN
  /\ v \in Committed \ disc /\ disc' = disc \cup D
  /\ "order" \in Rules => (D \ {v}) \cap claim = {}
  /\ acked' = IF "gateAck" \in Rules THEN acked ELSE acked \cup D      \* without gateAck: acked as soon as disclosed
  /\ UNCHANGED <<map, log, srv, seen, lastV, rd>>
Told(v) ==     \* v's driver has learnt its outcome: it claims no more (rule stop), then acknowledges and tells others
  v \in claim /\ Disclose(v) /\ claim' = IF "stop" \in Rules THEN claim \ {v} ELSE claim
ByTime(v) ==   \* who found it in ZooKeeper keeps it to himself until no driver can claim it (rule withhold)
  ("withhold" \in Rules => v \notin claim) /\ Disclose(v) /\ UNCHANGED claim
ClaimEnds(v) ==   \* by time, or with the driver. Earlier it would change nothing: until the commit the log says in flight
  v \in claim \cap Committed /\ claim' = claim \ {v} /\ UNCHANGED <<map, log, disc, srv, gho, rd>>
Abort(v) == dec[v] = "open" /\ dec' = [dec EXCEPT ![v] = "A"] /\ UNCHANGED <<map, parts, tell, srv, gho, rd>>
Ack(v) ==      \* the rule of the first draft: every ISR member has applied v, every removed one is fenced
  /\ "gateAck" \in Rules /\ v \in disc \ acked
  /\ \A a \in parts[v] : Unfenced(a) = {} /\ \A s \in ISR(a) : v \in app[s][a]
  /\ acked' = acked \cup {v} /\ UNCHANGED <<map, log, tell, srv, seen, lastV, rd>>
Apply(s, a) == \E v \in InDoubt(s, a) :      \* DECIDE arrived, or the log was read; in the order of the log
  /\ v = Oldest(s, a) /\ v \in disc /\ app' = [app EXCEPT ![s][a] = @ \cup {v}]
  /\ UNCHANGED <<map, log, tell, inst, prep, base, know, out, gho, rd>>
Learn(s) == know[s] < V /\ know' = [know EXCEPT ![s] = V] /\ UNCHANGED <<map, log, tell, inst, prep, app, base, out, gho, rd>>

(* ---- membership ---- *)
NewEpoch(a, I) == Ep(a) < MaxEpoch /\ isr' = [isr EXCEPT ![a] = Append(@, I)] /\ cert' = [cert EXCEPT ![a] = {}]
Change(a) ==                                 \* false suspicion allowed; same ISR = another primary; last = add a learner
  /\ \/ \E s \in ISR(a) : ISR(a) # {s} /\ NewEpoch(a, ISR(a) \ {s})
     \/ NewEpoch(a, ISR(a))
     \/ \E s \in cert[a] : NewEpoch(a, ISR(a) \cup {s})
  /\ UNCHANGED <<log, tell, srv, gho, rd>>
Certify(a, s) == \E p \in ISR(a) :           \* bootstrap s from p's newest state: no older snapshot
  /\ s \notin ISR(a) \cup cert[a] /\ inst[p][a] = Ep(a)
  /\ cert' = [cert EXCEPT ![a] = @ \cup {s}] /\ inst' = [inst EXCEPT ![s][a] = Ep(a)]
  /\ prep' = [prep EXCEPT ![s][a] = prep[p][a]] /\ app' = [app EXCEPT ![s][a] = app[p][a]]
  /\ base' = [base EXCEPT ![s][a] = Max(app[p][a])] /\ out' = [out EXCEPT ![s][a] = FALSE]
  /\ UNCHANGED <<isr, log, tell, know, gho, rd>>
Takeover(a, s) == LET C == {v \in Committed : a \in parts[v]} IN    \* of a lost or only paused solo ISR, from the shipped log
  /\ Cardinality(ISR(a)) = 1 /\ s \notin ISR(a) /\ NewEpoch(a, {s})
  /\ prep' = [prep EXCEPT ![s][a] = C] /\ app' = [app EXCEPT ![s][a] = C \cap disc]
  /\ base' = [base EXCEPT ![s][a] = Max(C \cap disc)]
  /\ UNCHANGED <<log, tell, inst, know, out, gho, rd>>
Install(s, a) ==                             \* and renew the lease; undecided PREPAREs may be cut by the new primary
  /\ inst[s][a] < Ep(a) /\ inst' = [inst EXCEPT ![s][a] = Ep(a)] /\ out' = [out EXCEPT ![s][a] = FALSE]
  /\ \/ prep' = prep
     \/ prep' = [prep EXCEPT ![s][a] = {v \in @ : dec[v] # "open"}]
  /\ UNCHANGED <<map, log, tell, app, base, know, gho, rd>>
LeaseOut(s, a) == s \in Unfenced(a) /\ out' = [out EXCEPT ![s][a] = TRUE]
                  /\ UNCHANGED <<map, log, tell, inst, prep, app, base, know, gho, rd>>
BlindRenew(s, a) == "renewMap" \notin Rules /\ out[s][a] /\ out' = [out EXCEPT ![s][a] = FALSE]   \* any contact counts
                  /\ UNCHANGED <<map, log, tell, inst, prep, app, base, know, gho, rd>>
Restart(s) ==                                \* forgets what was not fsynced and its lease; may meet an old ZooKeeper follower
  /\ "restart" \in Rules
  /\ know' = [know EXCEPT ![s] = 0]
  /\ app' = [app EXCEPT ![s] = [a \in Actors |-> {v \in app[s][a] : v <= base[s][a]}]]
  /\ out' = [out EXCEPT ![s] = [a \in Actors |-> inst[s][a] < Ep(a)]]
  /\ UNCHANGED <<map, log, tell, inst, prep, base, gho, rd>>

(* ---- reader: any number of reads one after the other (each by another client, or low = the floor of the same) ---- *)
(* A request's epoch is not in the model: a client's map may be as old as it likes, so any epoch that s has will come *)
ReadBegin == \E Q \in SUBSET Actors \ {{}}, l \in {0, lastV} :
  /\ ~rd.on
  /\ rd' = [rd EXCEPT !.on = TRUE, !.q = Q, !.low = l, !.must = {v \in acked \cup seen : parts[v] \cap Q # {}},
                     !.gone = {v \in @ \cap (Committed \ claim) : parts[v] \cap Q # {}}]
  /\ UNCHANGED <<map, log, tell, srv, gho>>
(* At some moment since the read began v's driver claims it, or the log, confirmed, has it in flight: said to a server in doubt *)
(* that asks, or by itself in the answer of the driver's server, before or after others' states are taken. It counts for all of *)
(* the read. Claims end for good: what is denied at any moment could be at the first, and is not in gone (I6). So gone is       *)
(* enough, and den, what was denied indeed, is there with rule heard only                                                       *)
Deny(v) == /\ "heard" \in Rules /\ rd.on /\ v \in claim \ rd.den /\ dec[v] \in {"open", "C"} /\ parts[v] \cap rd.q # {}
           /\ rd' = [rd EXCEPT !.den = @ \cup {v}] /\ UNCHANGED <<map, log, tell, srv, gho>>
Denied(v) == IF "heard" \in Rules THEN v \in rd.den ELSE v \notin rd.gone
MayServe(s, a) ==
  /\ "isr" \in Rules => s \in isr[a][inst[s][a]]
  /\ "lease" \in Rules => ~out[s][a]
At(s, a) == LET k == Max({know[s]} \cup app[s][a])   u == {v \in InDoubt(s, a) : v <= k} IN
  IF u = {} \/ "applied" \notin Rules THEN k ELSE Min(u) - 1
Data(s, a, n) == {v \in app[s][a] : v <= n \/ v <= base[s][a]}       \* older snapshots than base do not exist
Replied == rd.on /\ \A a \in rd.q : rd.rep[a].at <= MaxV
VStar == Max({rd.rep[a].at : a \in rd.q} \cup (IF "floor" \in Rules THEN {rd.low} ELSE {}))
(* A server in doubt has its oldest doubt denied before it answers, or names it open and the reader looks for the denial. *)
(* Both are the same here: what an answer leaves out it names. Nothing is said of what is prepared behind it              *)
Named(s, a) == LET o == IF "oldest" \in Rules THEN Oldest(s, a) ELSE Max(InDoubt(s, a)) IN
  IF "resolve" \notin Rules \/ ("heard" \notin Rules /\ Denied(o)) THEN 0 ELSE o
(* Whether what the answer leaves open may be left out. Two mistakes: to take it as it is (rule denied), and to ask for that *)
(* version where some answer has it, in place of the newest (rule anew)                                                      *)
Closed(a) == LET o == rd.rep[a].o IN
  o = 0 \/ Denied(o) \/ "denied" \notin Rules \/ ("anew" \notin Rules /\ o <= VStar)
Taken == Replied /\ \A a \in rd.q : Closed(a)
(* Split into two steps to let a pause fall between; rule checkLast: the clock is read after at and data are fixed *)
Serve1(s, a) ==
  /\ "late" \notin Rules /\ rd.on /\ a \in rd.q
  /\ IF "split" \notin Rules
     THEN /\ rd.rep[a] = NoRep /\ MayServe(s, a)
          /\ rd' = [rd EXCEPT !.rep[a] = [NoRep EXCEPT !.at = At(s, a), !.d = Data(s, a, At(s, a)), !.o = Named(s, a)]]
     ELSE \/ /\ rd.rep[a] = NoRep /\ s \in isr[a][inst[s][a]]
             /\ "checkLast" \notin Rules => MayServe(s, a)
             /\ rd' = [rd EXCEPT !.rep[a] = [at |-> MaxV + 2 + At(s, a), d |-> Data(s, a, At(s, a)), s |-> <<s, inst[s][a]>>,
                                             o |-> Named(s, a)]]
          \/ /\ rd.rep[a].at > MaxV + 1 /\ rd.rep[a].s = <<s, inst[s][a]>>
             /\ "checkLast" \in Rules => MayServe(s, a)
             /\ rd' = [rd EXCEPT !.rep[a] = IF "checkLast" \in Rules
                                            THEN [@ EXCEPT !.at = @ - MaxV - 2, !.s = "none"]
                                            ELSE [@ EXCEPT !.at = At(s, a), !.d = Data(s, a, At(s, a)), !.s = "none"]]
  /\ UNCHANGED <<map, log, tell, srv, gho>>
(* Rule late: as the code does it. First what s knows, and its doubts; what it knows decided it waits for. Then the state *)
Look(s, a) ==
  /\ "late" \in Rules /\ rd.on /\ a \in rd.q /\ rd.rep[a] = NoRep /\ MayServe(s, a) /\ \A v \in InDoubt(s, a) : v > know[s]
  /\ rd' = [rd EXCEPT !.rep[a] = [at |-> MaxV + 2 + know[s], d |-> {}, s |-> <<s, inst[s][a]>>, o |-> Named(s, a)]]
  /\ UNCHANGED <<map, log, tell, srv, gho>>
Take(s, a) == LET k == Max({rd.rep[a].at - MaxV - 2} \cup app[s][a]) IN
  /\ "late" \in Rules /\ rd.on /\ a \in rd.q
  /\ rd.rep[a].at > MaxV + 1 /\ rd.rep[a].s = <<s, inst[s][a]>> /\ MayServe(s, a)
  /\ rd' = [rd EXCEPT !.rep[a] = [@ EXCEPT !.at = k, !.d = Data(s, a, k), !.s = "none"]]
  /\ UNCHANGED <<map, log, tell, srv, gho>>
Serve2(s, a) ==
  /\ Taken /\ "round2" \in Rules /\ a \in rd.q /\ rd.rep[a].at < VStar
  /\ MayServe(s, a) /\ \A v \in InDoubt(s, a) : v > VStar            \* waits for, or looks up, every PREPARE <= V*
  /\ "know2" \in Rules => know[s] >= VStar
  /\ "base" \in Rules => base[s][a] <= VStar                         \* else VERSION_GONE
  /\ rd' = [rd EXCEPT !.rep[a] = [NoRep EXCEPT !.at = VStar, !.d = Data(s, a, VStar)]]
  /\ UNCHANGED <<map, log, tell, srv, gho>>
(* What is left open and not denied is asked for again, as of now; a state that is gone begins all anew. Denials stay *)
AskAgain == /\ Replied /\ ~Taken
            /\ rd' = [rd EXCEPT !.rep = [a \in Actors |-> IF a \in rd.q /\ ~Closed(a) THEN NoRep ELSE @[a]]]
            /\ UNCHANGED <<map, log, tell, srv, gho>>
Anew == /\ Taken /\ \E a \in rd.q : rd.rep[a].at < VStar
        /\ rd' = [rd EXCEPT !.rep = Idle.rep] /\ UNCHANGED <<map, log, tell, srv, gho>>
Finished == Taken /\ ("round2" \in Rules => \A a \in rd.q : rd.rep[a].at = VStar)
ReadEnd ==
  /\ Finished /\ lastV' = Max({lastV, VStar})
  /\ rd' = IF "fresh" \in Rules THEN Idle ELSE [Idle EXCEPT !.gone = rd.gone, !.den = rd.den]    \* denials of earlier reads count
  /\ seen' = IF "gateAck" \in Rules THEN seen \cup UNION {rd.rep[a].d : a \in rd.q} ELSE seen    \* else in acked already
  /\ UNCHANGED <<map, log, tell, srv, acked>>

Next == \/ Begin \/ ReadBegin \/ AskAgain \/ Anew \/ ReadEnd
        \/ \E v \in Tx : \/ Commit(v) \/ Told(v) \/ ClaimEnds(v) \/ ByTime(v) \/ Abort(v) \/ Ack(v) \/ Deny(v)
                         \/ \E s \in Servers, a \in Actors : Prepare(s, a, v)
        \/ \E s \in Servers : Learn(s) \/ Restart(s)
        \/ \E a \in Actors : Change(a) \/ \E s \in Servers : \/ Apply(s, a) \/ Certify(a, s) \/ Takeover(a, s) \/ Install(s, a)
                                                             \/ LeaseOut(s, a) \/ BlindRenew(s, a)
                                                             \/ Serve1(s, a) \/ Look(s, a) \/ Take(s, a) \/ Serve2(s, a)
Spec == Init /\ [][Next]_vars
Sym == Permutations(Servers) \cup Permutations(Actors)

(* ---- invariants ---- *)
I2 == \A v \in Committed : \A a \in parts[v] : \A s \in ISR(a) : v \in prep[s][a]
I3 == Finished => \A a \in rd.q : rd.rep[a].d = {v \in Committed : v <= VStar /\ a \in parts[v]}
(* must = acked before the start, or seen by a read that ended before the start: with I3, strict serializability *)
I4 == Finished => \A v \in rd.must : \A a \in rd.q \cap parts[v] : v \in rd.rep[a].d
I5 == Finished => VStar >= rd.low
I6 == rd.on => rd.den \cap rd.gone = {}
=============================================================================
