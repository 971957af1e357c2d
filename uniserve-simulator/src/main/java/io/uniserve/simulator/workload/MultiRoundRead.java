package io.uniserve.simulator.workload;

import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryExecution;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.query.ReadSession;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.simulator.check.ViolationCollector;
import io.uniserve.simulator.kernel.Prng;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Query of several rounds, with time between them for updates and crashes of servers. There are two kinds. A planner's query first runs
 * without kept states; if a state is gone, it restarts with kept states. A client's session has kept states from the start and is not
 * restarted. Every round must return the lists of the first one.
 */
final class MultiRoundRead {
    private static final long SECOND = 1_000_000_000L;
    private static final long SHORT_NANOS = 3_000_000;

    private final String name;
    private final Prng random;
    private final ClientContext env;
    private final TableName table;
    private final ActorKeys keys;
    private final ViolationCollector violations;
    private final FirstRoundListener first;
    private final BiConsumer<Optional<ErrorCode>, String> onEnded;
    private final boolean planned;
    private final int rounds;
    private final long deadlineNanos;
    private final Map<Integer, List<String>> seen = new TreeMap<>();
    private int restarts;
    private ReadSession session;

    /** Listener to the first round of each attempt, which is recorded as a normal read. */
    interface FirstRoundListener {
        /** Called when the first round starts. */
        void begins();

        /** Called with the lists of the first round. */
        void read(Map<Integer, List<String>> lists);
    }

    /**
     * @param over called once at the end, with a description and the error, if any
     * @param nanos time until the deadline
     */
    MultiRoundRead(
            String name,
            Prng random,
            ClientContext env,
            TableName table,
            ActorKeys keys,
            ViolationCollector violations,
            long nanos,
            FirstRoundListener first,
            BiConsumer<Optional<ErrorCode>, String> over) {
        this.name = name;
        this.random = random;
        this.env = env;
        this.table = table;
        this.keys = keys;
        this.violations = violations;
        this.first = first;
        this.onEnded = over;
        this.planned = random.below(4) != 0;
        this.rounds = random.between(2, 4);
        this.deadlineNanos = env.clock().nanos() + nanos;
        this.session = planned ? ReadSession.withoutHolding(deadlineNanos) : newSession();
    }

    private ReadSession newSession() {
        return new ReadSession(env.ids().next(), env.ids().next(), deadlineNanos);
    }

    void start() {
        seen.clear();
        first.begins();
        round(1);
    }

    /** Runs a round. The first one and half of the others read all lists; the rest read those of one actor. */
    private void round(int number) {
        Optional<List<Integer>> actors = number == 1 || random.below(2) == 0
                ? Optional.empty()
                : Optional.of(List.of(random.below(keys.count())));
        Bytes all = KvOperators.SCAN.parameters().encode(new KvOperators.Scan("", 10_000));
        Query query = new Query(table, actors, KvOperators.SCAN.id(), all, ReadMode.LINEARIZABLE, deadlineNanos);
        new QueryExecution(env, query, Optional.of(session), outcome -> ended(number, actors, outcome)).start();
    }

    private void ended(int number, Optional<List<Integer>> actors, Outcome<QueryResult> outcome) {
        if (outcome instanceof Outcome.Err<QueryResult> failed) {
            session.release(env);
            restart(failed.error().code(), number);
            return;
        }
        List<Document> documents = new ArrayList<>();
        for (Bytes part : outcome.value().parts()) {
            documents.addAll(KvOperators.SCAN.values().decode(part));
        }
        Map<Integer, List<String>> lists = keys.lists(documents);
        if (number == 1) {
            seen.putAll(lists);
            first.read(lists);
        } else {
            compare(number, actors, lists);
        }
        if (number == rounds) {
            session.release(env);
            onEnded.accept(Optional.empty(), rounds + " rounds, " + restarts + " restarts");
        } else {
            long pause = random.below(3) == 0 ? 2 * SECOND : SHORT_NANOS;
            env.timers().after(random.below(pause), () -> round(number + 1));
        }
    }

    private void restart(ErrorCode code, int number) {
        if (code == ErrorCode.VERSION_GONE && planned && restarts < Limits.SESSION_RESTARTS_MAX) {
            restarts++;
            session = newSession();
            start();
        } else {
            onEnded.accept(Optional.of(code), "round " + number + ", " + restarts + " restarts");
        }
    }

    private void compare(int number, Optional<List<Integer>> actors, Map<Integer, List<String>> lists) {
        for (int list = 0; list < keys.count() * ActorKeys.LISTS_PER_ACTOR; list++) {
            if (actors.isPresent() && !actors.get().contains(ActorKeys.actorOf(list))) {
                continue;
            }
            List<String> now = lists.getOrDefault(list, List.of());
            List<String> before = seen.getOrDefault(list, List.of());
            if (!now.equals(before)) {
                violations.add(
                        "ROUNDS",
                        name + " saw " + before.size() + " markers in list " + list + " in the first round and "
                                + now.size() + ", or others, in round " + number);
            }
        }
    }
}
