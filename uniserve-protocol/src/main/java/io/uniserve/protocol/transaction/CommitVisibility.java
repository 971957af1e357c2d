package io.uniserve.protocol.transaction;

import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.transaction.server.ConsistentSnapshotReader;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Visibility rule of committed versions: decides which of them this server may use. A transaction manager may claim for a short time that a
 * commit under way is not visible ({@code TransactionManager#canClaimInvisible}), so that readers need not wait for ZooKeeper. Therefore a
 * server withholds a commit that it finds in ZooKeeper until such a claim has certainly ended. A commit that the manager or another server
 * has published is not withheld. Every read of a transaction log passes through {@link #readTransactionLog}. {@link ConsistentSnapshotReader}
 * reads logs twice, and passes its result through {@link #runWhenVisible} instead.
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
    private final TreeMap<Long, Long> visibleVersions = new TreeMap<>();
    private final TreeMap<Long, List<Withheld>> withheld = new TreeMap<>();

    /** An action that waits until a version of a table is visible. */
    private record Withheld(long version, Runnable then) {}

    public CommitVisibility(Environment env, TransactionConfig config) {
        this.env = env;
        this.config = config;
    }

    /** True if processes other than the version's manager may know by now that it is committed. */
    public boolean isVisible(long tableId, long version) {
        return version <= visibleVersions.getOrDefault(tableId, 0L);
    }

    /** Marks the version as visible and runs the actions that wait for it. */
    public void markVisible(long tableId, long version) {
        if (isVisible(tableId, version)) {
            return;
        }
        visibleVersions.put(tableId, version);
        if (visibleVersions.size() > TABLES_MAX) {
            visibleVersions.pollFirstEntry();
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
    public void runWhenVisible(long tableId, long version, Runnable then) {
        if (isVisible(tableId, version)) {
            then.run();
            return;
        }
        withheld.computeIfAbsent(tableId, id -> new ArrayList<>()).add(new Withheld(version, then));
        env.timers().after(config.withholdNanos(), () -> markVisible(tableId, version));
    }

    /** Reads a transaction log from ZooKeeper, and completes once its newest version is visible. */
    public void readTransactionLog(String path, Completion<Versioned> completion) {
        env.registry().read(path, read -> {
            if (read instanceof Outcome.Ok<Versioned> ok && ok.value().value() instanceof TransactionLogState log) {
                runWhenVisible(log.tableId(), log.committedVersion(), () -> completion.done(read));
            } else {
                completion.done(read);
            }
        });
    }
}
