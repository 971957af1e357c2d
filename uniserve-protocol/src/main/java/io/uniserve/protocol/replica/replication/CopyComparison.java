package io.uniserve.protocol.replica.replication;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.log.RunningLogHash;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Compared;
import io.uniserve.protocol.message.PeerReply.Digested;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.replica.context.ReplicaContext;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One comparison of the digests of an actor's in-sync copies at one log index, led by the primary. The index is slightly after the end of
 * the log, so that every copy can stop there; the distance grows with the write rate. If a copy was already past it, another round with
 * another index follows. A copy that did not reply gets no other request. The digest of the majority is right; of two copies, the
 * primary's. The comparison ends within {@link Limits#COPIES_COMPARED_MS_MAX}; copies without digest are then unknown.
 */
public final class CopyComparison {
    /** Number of retry periods that a copy waits for its log to reach the index. */
    public static final int REACH_RETRIES = 20;

    private static final int ATTEMPTS_MAX = 6;
    private static final long BUDGET_NANOS = Limits.COPIES_COMPARED_MS_MAX * 1_000_000;
    private static final Logger LOG = LoggerFactory.getLogger(CopyComparison.class);

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final ActorState state;
    private final ReplicaLog log;
    private final LocalCopy copy;
    private final Completion<PeerReply> completion;
    private final TreeMap<ServerId, Outcome<PeerReply>> replies = new TreeMap<>();
    private long index;
    private int attempt;
    private int rounds;
    private boolean ended;
    private List<ServerId> suspects = List.of();
    private Timers.Cancel expiry = () -> {};

    public CopyComparison(
            ReplicaContext host,
            ReplicaKey key,
            ActorState state,
            ReplicaLog log,
            LocalCopy copy,
            Completion<PeerReply> completion) {
        this.host = host;
        this.key = key;
        this.state = state;
        this.log = log;
        this.copy = copy;
        this.completion = completion;
    }

    public boolean isEnded() {
        return ended;
    }

    /** Starts the comparison. Call it once. */
    public void start() {
        expiry = host.env().timers().after(BUDGET_NANOS, this::expire);
        startRound();
    }

    /** Measures how fast the log grows, then sends the request to all copies. */
    private void startRound() {
        long before = log.lastIndex();
        host.env().timers().after(host.config().retryNanos(), () -> {
            if (ended) {
                return;
            }
            if (!copy.isPrimaryOf(state.epoch())) {
                fail("the primary of " + key + " changed");
                return;
            }
            long grown = log.lastIndex() - before;
            index = log.lastIndex() + (grown << Math.min(attempt, 4));
            replies.clear();
            attempt++;
            int round = ++rounds;
            PeerRequest.TakeDigest request = new PeerRequest.TakeDigest(key, state.epoch(), index);
            state.isr().forEach(server -> requestDigest(server, round, request));
        });
    }

    private void restartRounds() {
        attempt = 0;
        startRound();
    }

    private void requestDigest(ServerId server, int round, PeerRequest.TakeDigest request) {
        Completion<PeerReply> answered = outcome -> {
            if (round == rounds && !ended) {
                replies.put(server, outcome);
                if (replies.size() == state.isr().size()) {
                    onAllReplies();
                }
            }
        };
        Address to = host.addressOf(server);
        if (server.equals(host.self())) {
            copy.takeDigest(request, answered);
        } else if (to == null) {
            answered.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, server + " is not registered")));
        } else {
            long timeout = Math.min(host.config().digestTimeoutNanos(), BUDGET_NANOS);
            host.env().network().call(to, request, timeout, answered);
        }
    }

    private void onAllReplies() {
        boolean refused = replies.values().stream().anyMatch(CopyComparison::isRejected);
        if (refused && attempt < ATTEMPTS_MAX && copy.isPrimaryOf(state.epoch())) {
            startRound();
            return;
        }
        List<Compared.Copy> copies = verdicts();
        List<ServerId> different = copies.stream()
                .filter(copy -> copy.verdict() == Compared.Verdict.DIFFERENT)
                .map(Compared.Copy::server)
                .toList();
        if (!different.isEmpty() && !different.equals(suspects) && copy.isPrimaryOf(state.epoch())) {
            suspects = different; // a change of table options reaches the copies one after the other
            host.env().timers().after(REACH_RETRIES * host.config().retryNanos(), this::restartRounds);
            return;
        }
        end();
        copies.forEach(copy -> {
            if (copy.verdict() == Compared.Verdict.DIFFERENT) {
                quarantine(copy.server(), copy.reason());
            }
        });
        completion.done(Outcome.ok(new Compared(index, copies)));
    }

    /** Ends the comparison. Copies without digest are unknown. A difference that was found only once proves nothing. */
    private void expire() {
        if (ended) {
            return;
        }
        end();
        for (ServerId server : state.isr()) {
            replies.putIfAbsent(
                    server,
                    Outcome.err(new UniserveException(
                            ErrorCode.DEADLINE_EXCEEDED,
                            "no digest within " + Limits.COPIES_COMPARED_MS_MAX / 60_000 + " minutes")));
        }
        List<Compared.Copy> copies = verdicts().stream()
                .map(copy -> copy.verdict() == Compared.Verdict.DIFFERENT
                        ? new Compared.Copy(
                                copy.server(),
                                Compared.Verdict.UNKNOWN,
                                copy.digest(),
                                "the time limit ended before a second comparison: " + copy.reason())
                        : copy)
                .toList();
        completion.done(Outcome.ok(new Compared(index, copies)));
    }

    /** True if the copy has no digest at this index, but may have one at another. */
    private static boolean isRejected(Outcome<PeerReply> answer) {
        return answer instanceof Outcome.Err<PeerReply> err && err.error().code() != ErrorCode.DEADLINE_EXCEEDED;
    }

    private List<Compared.Copy> verdicts() {
        Map<String, Integer> votes = new TreeMap<>();
        replies.values().stream()
                .map(CopyComparison::digest)
                .filter(text -> !text.isEmpty())
                .forEach(text -> votes.merge(text, 1, Integer::sum));
        String right = correctDigest(votes);
        List<Compared.Copy> copies = new ArrayList<>();
        replies.forEach((server, answer) -> copies.add(copy(server, answer, right)));
        return copies;
    }

    /** The digest of the majority; of two copies, the primary's. Empty if there is no majority. */
    private String correctDigest(Map<String, Integer> votes) {
        for (Map.Entry<String, Integer> vote : votes.entrySet()) {
            if (2 * vote.getValue() > state.isr().size()) {
                return vote.getKey();
            }
        }
        Outcome<PeerReply> own = replies.get(host.self());
        return state.isr().size() == 2 && own != null ? digest(own) : "";
    }

    private static String digest(Outcome<PeerReply> answer) {
        return answer instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof Digested taken
                ? HexFormat.of().formatHex(taken.digest().toArray())
                : "";
    }

    private static String hash(Outcome<PeerReply> answer) {
        return answer instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof Digested taken
                ? RunningLogHash.text(taken.logHash())
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
                + " on " + server + ", " + right + " on the right copies";
        return new Compared.Copy(server, Compared.Verdict.DIFFERENT, own, why);
    }

    private void quarantine(ServerId server, String reason) {
        LOG.error("{}: {}; the copy on {} is set aside and will be rebuilt", key, reason, server);
        if (server.equals(host.self())) {
            copy.quarantine(reason);
        } else {
            LogDivergenceResolver.sendQuarantine(
                    host, new PeerRequest.QuarantineCopy(key, state.epoch(), host.self(), server, reason));
        }
    }

    private void end() {
        ended = true;
        expiry.cancel();
    }

    private void fail(String why) {
        end();
        completion.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, why + ": retry later")));
    }

    /** The copy on this server, which is the primary. */
    public interface LocalCopy {
        /** True while this server is the primary of that epoch. */
        boolean isPrimaryOf(long epoch);

        /** Computes the digest of this copy right after an index. */
        void takeDigest(PeerRequest.TakeDigest request, Completion<PeerReply> completion);

        /** This copy is the wrong one: it serves nothing more and is built anew. */
        void quarantine(String reason);
    }
}
