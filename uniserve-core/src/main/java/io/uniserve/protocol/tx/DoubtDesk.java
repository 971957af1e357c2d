package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableLog;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.ReadGate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settles what is in doubt at a replica before a reader may have an answer (protocol section 4). A version that is decided
 * is waited for; one that is still in flight, confirmed after the question, may be left out: no reader can have seen it.
 */
final class DoubtDesk {
    private final AtomicHost host;
    private final AtomicConfig config;
    private final Function<TableName, LogLook> looks;
    private final Function<TableName, @Nullable TableLog> copies;

    /** @param copies what this server has read of a table's log last, perhaps an old one */
    DoubtDesk(
            AtomicHost host,
            AtomicConfig config,
            Function<TableName, LogLook> looks,
            Function<TableName, @Nullable TableLog> copies) {
        this.copies = copies;
        this.host = host;
        this.config = config;
        this.looks = looks;
    }

    /**
     * Done when the replica's published state is complete for a question asked now.
     *
     * @param at the version asked for: each at or below it must be settled; 0 for the newest
     */
    void settle(TableName table, ReplicaKey key, long at, Completion<Done> completion) {
        new Question(table, key, at, host.env().clock().nanos() + config.settleNanos(), completion).ask();
    }

    private final class Question {
        private final TableName table;
        private final ReplicaKey key;
        private final long at;
        private final long deadline;
        private final Completion<Done> completion;

        private Question(TableName table, ReplicaKey key, long at, long deadline, Completion<Done> completion) {
            this.table = table;
            this.key = key;
            this.at = at;
            this.deadline = deadline;
            this.completion = completion;
        }

        private void ask() {
            ReadGate gate = host.gate(key);
            if (gate == null) {
                fail("the replica is gone");
            } else if (gate.doubt() == 0 || at > 0 && gate.doubt() > at) {
                completion.done(Outcome.ok(Done.DONE));
            } else if (host.env().clock().nanos() - deadline >= 0) {
                fail("version " + gate.doubt() + " is in doubt");
            } else {
                long doubt = gate.doubt();
                TableLog copy = copies.apply(table);
                if (copy != null
                        && copy.tableId() == key.tableId()
                        && copy.next() > doubt
                        && !LogSteps.inFlight(copy, doubt)) {
                    again(); // decided, as this server knows
                    return;
                }
                looks.apply(table).look(doubt, looked -> {
                    if (looked instanceof Outcome.Ok<TableLog> ok) {
                        looked(ok.value(), doubt);
                    } else {
                        again();
                    }
                });
            }
        }

        private void looked(TableLog log, long doubt) {
            if (log.tableId() != key.tableId()) {
                fail("the table is another one now");
            } else if (!LogSteps.inFlight(log, doubt)) {
                again(); // decided: the log here will say so
            } else if (at > 0) {
                fail("version " + doubt + " is in flight, though version " + at + " was asked for");
            } else {
                completion.done(Outcome.ok(Done.DONE));
            }
        }

        private void again() {
            host.env().timers().after(config.retryNanos() / 10, this::ask);
        }

        private void fail(String why) {
            completion.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, why)));
        }
    }
}
