package io.uniserve.protocol.coordinator.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.protocol.coordinator.election.FencedRegistry.WriteResult;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.AdminReply;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * One change of a registry node that has one value, or one reading of it. A change is one conditional write: it reads the node, writes it if
 * its version is the same, and begins again otherwise.
 *
 * @param <V> type of the value
 */
final class RegistryValueChanger<V extends RegistryValue> {
    /** Attempts at one change. Each failed one means that another change succeeded. */
    private static final int ATTEMPTS_MAX = 16;

    private final LeaderContext leader;
    private final PendingAdminReply answer;
    private final String path;
    private final Class<V> type;
    private final V none;
    private int attempts;

    /** @param none value of an absent node */
    RegistryValueChanger(LeaderContext leader, PendingAdminReply answer, String path, Class<V> type, V none) {
        this.leader = leader;
        this.answer = answer;
        this.path = path;
        this.type = type;
        this.none = none;
    }

    /** Writes the next value and answers; writes nothing if it is the present one. A failure of {@code next} is the answer. */
    void change(UnaryOperator<V> next) {
        read(outcome -> write(next, outcome));
    }

    /** Passes on the value. A failure of {@code reader} is the answer. */
    void list(Consumer<V> reader) {
        read(outcome -> reader.accept(value(outcome)));
    }

    private void read(Consumer<Outcome<Versioned>> reader) {
        leader.registry()
                .afterSync(() -> leader.registry().read(path, outcome -> {
                    try {
                        reader.accept(outcome);
                    } catch (UniserveException refused) {
                        answer.fail(refused);
                    }
                }));
    }

    private void write(UnaryOperator<V> change, Outcome<Versioned> outcome) {
        V present = value(outcome);
        V next = change.apply(present);
        if (next.equals(present)) {
            answer.ok(new AdminReply.Ack());
            return;
        }
        int version = ((Outcome.Ok<Versioned>) outcome).value().version();
        Op op = version == Registry.ABSENT ? new Op.Create(path, next, false) : new Op.Set(path, next, version);
        leader.registry().write(List.of(op), written -> onWritten(change, written));
    }

    private void onWritten(UnaryOperator<V> change, WriteResult written) {
        UniserveException error = written.error();
        if (written.isApplied()) {
            answer.ok(new AdminReply.Ack());
        } else if (error != null) {
            answer.fail(error);
        } else if (++attempts < ATTEMPTS_MAX) {
            change(change);
        } else {
            answer.fail(new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    "registry node " + path + " cannot be written now: list what it has, then try again"));
        }
    }

    private V value(Outcome<Versioned> outcome) {
        if (!(outcome instanceof Outcome.Ok<Versioned> ok)) {
            throw outcome.error();
        }
        if (ok.value().version() == Registry.ABSENT) {
            return none;
        }
        if (type.isInstance(ok.value().value())) {
            return type.cast(ok.value().value());
        }
        throw new UniserveException(
                ErrorCode.CORRUPT, "registry node " + path + " holds another value: delete it, then set it anew");
    }
}
