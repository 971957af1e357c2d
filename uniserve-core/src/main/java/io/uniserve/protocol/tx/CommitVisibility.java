package io.uniserve.protocol.tx;

import io.uniserve.model.TransactionLogState;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Decides which committed versions this server may act on. A transaction manager may claim for a moment that a commit under way is not
 * visible ({@link TransactionManager#undisclosed}), so that readers need not wait for ZooKeeper. Therefore a server withholds a commit that
 * it finds in ZooKeeper until such a claim has certainly ended. A commit that the manager or another server has published is not withheld.
 * Every read of a transaction log passes through {@link #read}. {@link ConsistentCutReader} reads logs twice, and passes its result through
 * {@link #await} instead.
 *
 * <p>A version becomes visible here in one of three cases: its manager has published it, in a log or by a DECIDE; this server's own manager
 * has written it; or {@link TransactionConfig#withholdNanos} have passed since it was read here. All older versions are visible then, too:
 * a manager starts a version only on a log of visible versions. Not thread-safe: runs on the server's event loop.
 */
public final class CommitVisibility {
    /** Beyond this number, the oldest tables are forgotten, which may have been dropped. The next read of a forgotten table waits once. */
    private static final int TABLES_MAX = 4_096;

    private final Environment env;
    private final TransactionConfig config;
    private final TreeMap<Long, Long> disclosed = new TreeMap<>();
    private final TreeMap<Long, List<Withheld>> withheld = new TreeMap<>();

    /** An action that waits until a version of a table is visible. */
    private record Withheld(long version, Runnable then) {}

    CommitVisibility(Environment env, TransactionConfig config) {
        this.env = env;
        this.config = config;
    }

    /** True if processes other than the version's manager may know by now that it is committed. */
    boolean isDisclosed(long tableId, long version) {
        return version <= disclosed.getOrDefault(tableId, 0L);
    }

    /** Marks the version as visible and runs the actions that wait for it. */
    public void disclosed(long tableId, long version) {
        if (isDisclosed(tableId, version)) {
            return;
        }
        disclosed.put(tableId, version);
        if (disclosed.size() > TABLES_MAX) {
            disclosed.pollFirstEntry();
        }
        List<Withheld> waiting = withheld.get(tableId);
        if (waiting != null) {
            List<Withheld> free =
                    waiting.stream().filter(one -> one.version <= version).toList();
            waiting.removeAll(free);
            if (waiting.isEmpty()) {
                withheld.remove(tableId);
            }
            free.forEach(one -> env.timers().post(one.then()));
        }
    }

    /** Runs the action once the version is visible, at once if it is visible already. */
    public void await(long tableId, long version, Runnable then) {
        if (isDisclosed(tableId, version)) {
            then.run();
            return;
        }
        withheld.computeIfAbsent(tableId, id -> new ArrayList<>()).add(new Withheld(version, then));
        env.timers().after(config.withholdNanos(), () -> disclosed(tableId, version));
    }

    /** Reads a transaction log from ZooKeeper, and completes once its newest version is visible. */
    public void read(String path, Completion<Versioned> completion) {
        env.registry().read(path, read -> {
            if (read instanceof Outcome.Ok<Versioned> ok && ok.value().value() instanceof TransactionLogState log) {
                await(log.tableId(), log.version(), () -> completion.done(read));
            } else {
                completion.done(read);
            }
        });
    }
}
