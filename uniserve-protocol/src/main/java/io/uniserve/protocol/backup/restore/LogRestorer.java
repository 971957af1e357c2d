package io.uniserve.protocol.backup.restore;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.List;

/** Restoration of an empty log from durable storage. Every object is checked, and its entries are appended in order. */
final class LogRestorer {
    private final Environment env;
    private final String clusterId;
    private final ReplicaKey key;
    private final ReplicaLog log;
    private final Completion<Done> completion;
    private Runnable whenDurable = () -> {};
    private boolean ended;

    LogRestorer(Environment env, String clusterId, ReplicaKey key, ReplicaLog log, Completion<Done> completion) {
        this.env = env;
        this.clusterId = clusterId;
        this.key = key;
        this.log = log;
        this.completion = completion;
    }

    /** Appends the entries that were shipped after the log's start; CORRUPT if they end before the index {@code due}. */
    void run(long due) {
        String prefix = BackupPaths.logPrefix(clusterId, key);
        env.objects().list(prefix, listed -> {
            if (listed instanceof Outcome.Err<List<String>> err) {
                end(Outcome.err(err.error()));
                return;
            }
            List<BackupPaths.Run> chain =
                    BackupPaths.chain(listed.value(), prefix, log.baseIndex(), log.epochAt(log.baseIndex()));
            long last = chain.isEmpty()
                    ? log.baseIndex()
                    : chain.get(chain.size() - 1).last();
            if (last < due) {
                end(Outcome.err(new UniserveException(
                        ErrorCode.CORRUPT, "durable storage has the log up to " + last + ", the record says " + due)));
            } else {
                fetch(chain, 0);
            }
        });
    }

    private void fetch(List<BackupPaths.Run> chain, int at) {
        if (at == chain.size()) {
            end(Outcome.ok(Done.DONE));
            return;
        }
        BackupPaths.Run run = chain.get(at);
        env.objects().get(run.key(), got -> {
            if (got instanceof Outcome.Err<Bytes> err) {
                end(Outcome.err(err.error()));
                return;
            }
            Outcome<List<LogEntry>> decoded = ReplicaLog.decode(got.value(), run.first());
            if (decoded instanceof Outcome.Ok<List<LogEntry>> ok
                    && ok.value().size() >= run.last() - run.first() + 1
                    && append(ok.value().subList(0, (int) (run.last() - run.first() + 1)))) {
                whenDurable = () -> fetch(chain, at + 1);
                onDurable();
            } else {
                end(Outcome.err(
                        new UniserveException(ErrorCode.CORRUPT, "backup object " + run.key() + " has bad entries")));
            }
        });
    }

    /** Appends entries; returns false if they do not continue the log, because a damaged store may combine parts of different logs. */
    private boolean append(List<LogEntry> entries) {
        for (LogEntry entry : entries) {
            if (entry.index() > log.lastIndex()) {
                if (entry.index() != log.lastIndex() + 1 || entry.epoch() < log.lastEpoch()) {
                    return false;
                }
                log.append(entry);
            }
        }
        return true;
    }

    /** Handles a completed write of the log. */
    void onDurable() {
        if (!ended && log.durableIndex() == log.lastIndex()) {
            Runnable then = whenDurable;
            whenDurable = () -> {};
            then.run();
        }
    }

    void failed(UniserveException error) {
        end(Outcome.err(error));
    }

    private void end(Outcome<Done> outcome) {
        if (!ended) {
            ended = true;
            completion.done(outcome);
        }
    }
}
