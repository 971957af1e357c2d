package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.EntryHash;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Compared;
import io.uniserve.protocol.message.PeerReply.Digested;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One comparison of the digests of an actor's in-sync copies at one log position, led by the primary. The position is a little
 * ahead of the log's end, so that every copy can stop there: further ahead, the more is being written. A copy that was past it is
 * asked again, with another position. The digest of most copies is right; of two, the primary's.
 */
final class CopyComparison {
    /** A copy waits for its log to reach the position for so many retry times. */
    static final int REACH_RETRIES = 20;

    private static final int ATTEMPTS_MAX = 6;
    private static final Logger LOG = LoggerFactory.getLogger(CopyComparison.class);

    private final ReplicaHost host;
    private final ReplicaKey key;
    private final ActorState state;
    private final ReplicaLog log;
    private final CopyCheck check;
    private final Completion<PeerReply> completion;
    private final TreeMap<ServerId, Outcome<PeerReply>> answers = new TreeMap<>();
    private long index;
    private int attempt;
    private int rounds;
    private boolean over;
    private List<ServerId> suspects = List.of();

    CopyComparison(
            ReplicaHost host,
            ReplicaKey key,
            ActorState state,
            ReplicaLog log,
            CopyCheck check,
            Completion<PeerReply> completion) {
        this.host = host;
        this.key = key;
        this.state = state;
        this.log = log;
        this.check = check;
        this.completion = completion;
    }

    boolean over() {
        return over;
    }

    /** Looks how fast the log grows, then asks all copies. */
    void run() {
        long before = log.lastIndex();
        host.env().timers().after(host.config().retryNanos(), () -> {
            if (!check.leads(state.epoch())) {
                fail("the primary of " + key + " moved");
                return;
            }
            long grown = log.lastIndex() - before;
            index = log.lastIndex() + (grown << Math.min(attempt, 4));
            answers.clear();
            attempt++;
            int round = ++rounds;
            PeerRequest.TakeDigest request = new PeerRequest.TakeDigest(key, state.epoch(), index);
            state.isr().forEach(server -> ask(server, round, request));
        });
    }

    private void again() {
        attempt = 0;
        run();
    }

    private void ask(ServerId server, int round, PeerRequest.TakeDigest request) {
        Completion<PeerReply> answered = outcome -> {
            if (round == rounds && !over) {
                answers.put(server, outcome);
                if (answers.size() == state.isr().size()) {
                    all();
                }
            }
        };
        Address to = host.addressOf(server);
        if (server.equals(host.self())) {
            check.digest(request, answered);
        } else if (to == null) {
            answered.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, server + " is away")));
        } else {
            host.env().network().call(to, request, host.config().digestTimeoutNanos(), answered);
        }
    }

    private void all() {
        boolean missing = answers.values().stream().anyMatch(answer -> answer instanceof Outcome.Err<?>);
        if (missing && attempt < ATTEMPTS_MAX && check.leads(state.epoch())) {
            run();
            return;
        }
        Map<String, Integer> votes = new TreeMap<>();
        answers.values().stream()
                .map(CopyComparison::digest)
                .filter(text -> !text.isEmpty())
                .forEach(text -> votes.merge(text, 1, Integer::sum));
        String right = right(votes);
        List<Compared.Copy> copies = new ArrayList<>();
        answers.forEach((server, answer) -> copies.add(copy(server, answer, right)));
        List<ServerId> different = copies.stream()
                .filter(copy -> copy.verdict() == Compared.Verdict.DIFFERENT)
                .map(Compared.Copy::server)
                .toList();
        if (!different.isEmpty() && !different.equals(suspects) && check.leads(state.epoch())) {
            suspects = different; // options of a table that change just now reach the copies one after the other
            host.env().timers().after(REACH_RETRIES * host.config().retryNanos(), this::again);
            return;
        }
        over = true;
        copies.forEach(copy -> {
            if (copy.verdict() == Compared.Verdict.DIFFERENT) {
                setAside(copy.server(), copy.reason());
            }
        });
        completion.done(Outcome.ok(new Compared(index, copies)));
    }

    /** What most copies have; of two copies, what the primary has. Empty where neither decides. */
    private String right(Map<String, Integer> votes) {
        for (Map.Entry<String, Integer> vote : votes.entrySet()) {
            if (2 * vote.getValue() > state.isr().size()) {
                return vote.getKey();
            }
        }
        Outcome<PeerReply> own = answers.get(host.self());
        return state.isr().size() == 2 && own != null ? digest(own) : "";
    }

    private static String digest(Outcome<PeerReply> answer) {
        return answer instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof Digested taken
                ? HexFormat.of().formatHex(taken.digest().toArray())
                : "";
    }

    private static String hash(Outcome<PeerReply> answer) {
        return answer instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof Digested taken
                ? EntryHash.text(taken.logHash())
                : "unknown";
    }

    private Compared.Copy copy(ServerId server, Outcome<PeerReply> answer, String right) {
        String own = digest(answer);
        if (own.isEmpty()) {
            String why =
                    answer instanceof Outcome.Err<PeerReply> err ? err.error().reason() : "its engine has no digest";
            return new Compared.Copy(server, Compared.Verdict.UNKNOWN, "", why);
        }
        if (right.isEmpty()) {
            return new Compared.Copy(server, Compared.Verdict.UNKNOWN, own, "no digest has a majority");
        }
        if (own.equals(right)) {
            return new Compared.Copy(server, Compared.Verdict.EQUAL, own, "");
        }
        String why = "contents differ at index " + index + " (running hash " + hash(answer) + "): digest " + own
                + " on " + server + ", " + right + " on the copies that are right";
        return new Compared.Copy(server, Compared.Verdict.DIFFERENT, own, why);
    }

    private void setAside(ServerId server, String reason) {
        LOG.error("{}: {}; the copy on {} is set aside and made anew", key, reason, server);
        if (server.equals(host.self())) {
            check.setAside(reason);
        } else {
            Dispute.tell(host, new PeerRequest.SetAside(key, state.epoch(), host.self(), server, reason));
        }
    }

    private void fail(String why) {
        over = true;
        completion.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, why + ": try again")));
    }
}
