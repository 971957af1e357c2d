package io.uniserve.runtime.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.Document;
import io.uniserve.api.Row;
import io.uniserve.api.update.AtomicUpdate;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.Prepared;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.RowStateDependency;
import java.util.ArrayList;
import java.util.List;

/** Decoded rows of one update, with its update function. */
final class DecodedRowBatch {
    private final UpdateFunction<Actor, Row> function;
    private final Actor actor;
    private final List<Row> rows;

    private DecodedRowBatch(UpdateFunction<Actor, Row> function, Actor actor, List<Row> rows) {
        this.function = function;
        this.actor = actor;
        this.rows = rows;
    }

    /** Decodes rows. Fails with INVALID_ROW, with the number of the first invalid row. */
    static DecodedRowBatch of(UpdateFunction<?, ?> update, Actor actor, Bytes bytes) {
        if (!update.actorType().isInstance(actor)) {
            throw new UniserveException(
                    ErrorCode.PORT_PROTOCOL,
                    update.id() + " cannot change a " + actor.getClass().getName());
        }
        UpdateFunction<Actor, Row> function = cast(update);
        return new DecodedRowBatch(function, actor, rows(function.rows(), bytes));
    }

    /** Rows of an update of documents. */
    static List<Document> documents(Bytes bytes) {
        return rows(Document.CODEC, bytes);
    }

    private static <R extends Row> List<R> rows(Codec<R> codec, Bytes bytes) {
        BinaryReader in = new BinaryReader(bytes);
        int count = count(in);
        if (count > Limits.BATCH_ROWS_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE, "batch of " + count + " rows; send at most " + Limits.BATCH_ROWS_MAX);
        }
        List<R> rows = new ArrayList<>(Math.min(count, bytes.size()));
        for (int i = 0; i < count; i++) {
            rows.add(row(codec, in, i));
        }
        if (in.remaining() > 0) {
            throw invalid(in.remaining() + " bytes follow its last row");
        }
        return rows;
    }

    private static int count(BinaryReader in) {
        if (in.remaining() < Integer.BYTES) {
            throw invalid("its number of rows is incomplete");
        }
        int count = in.readInt();
        if (count < 0) {
            throw invalid("its number of rows is " + count);
        }
        return count;
    }

    private static UniserveException invalid(String what) {
        return new UniserveException(
                ErrorCode.INVALID_ROW, "the batch cannot be read: " + what + "; encode it as the client does");
    }

    private static <R extends Row> R row(Codec<R> codec, BinaryReader in, int number) {
        int before = in.remaining();
        R row;
        try {
            row = codec.read(in);
        } catch (UniserveException e) {
            throw new UniserveException(ErrorCode.INVALID_ROW, "row " + number + " of the batch: " + e.reason(), e);
        }
        if (before - in.remaining() > Limits.ROW_BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "row " + number + " of the batch has " + (before - in.remaining()) + " bytes, at most "
                            + Limits.ROW_BYTES_MAX);
        }
        return row;
    }

    @SuppressWarnings("unchecked")
    private static UpdateFunction<Actor, Row> cast(UpdateFunction<?, ?> update) {
        return (UpdateFunction<Actor, Row>) update;
    }

    /** True if the validation of a row reads the actor's contents. */
    boolean readsActor() {
        return function instanceof EventualUpdate<Actor, Row> eventual
                && rows.stream().anyMatch(row -> eventual.readsActor(row) || eventual.isConditional(row));
    }

    /** Condition of the rows' validation. */
    RowStateDependency condition() {
        return rows.stream().anyMatch(function::isConditional) ? RowStateDependency.ON_STATE : RowStateDependency.NONE;
    }

    /** Validates an eventual update. */
    void validate() {
        eventual().validate(actor, rows);
    }

    /** Validates a part of an atomic update. */
    void validateAtomic() {
        atomic().validate(actor, rows);
    }

    void apply(long index) {
        eventual().update(actor, new UpdateContext(index), rows);
    }

    Prepared prepare(long index) {
        return atomic().prepare(actor, new UpdateContext(index), rows);
    }

    private EventualUpdate<Actor, Row> eventual() {
        if (function instanceof EventualUpdate<Actor, Row> eventual) {
            return eventual;
        }
        throw new UniserveException(
                ErrorCode.UNSUPPORTED,
                "update " + function.id() + " is for tables of level SERIALIZABLE or FULLY_SERIALIZABLE only");
    }

    private AtomicUpdate<Actor, Row> atomic() {
        return AtomicUpdate.of(function, actor)
                .orElseThrow(() -> new UniserveException(
                        ErrorCode.UNSUPPORTED,
                        "update " + function.id() + " cannot be prepared: it is for tables of level EVENTUAL only"));
    }
}
