package io.uniserve.api.update;

import io.uniserve.api.Actor;
import io.uniserve.api.Row;
import io.uniserve.api.extra.RevocableActor;
import io.uniserve.codec.Codec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.List;

/** Eventual update of a {@link RevocableActor} as a participant of atomic updates: prepare applies, commit publishes, abort revokes. */
record TransactionalUpdate<A extends Actor, R extends Row>(EventualUpdate<A, R> update) implements AtomicUpdate<A, R> {
    @Override
    public String id() {
        return update.id();
    }

    @Override
    public Class<A> actorType() {
        return update.actorType();
    }

    @Override
    public Codec<R> rows() {
        return update.rows();
    }

    @Override
    public boolean isConditional(R row) {
        return update.isConditional(row);
    }

    @Override
    public void validate(A actor, List<R> rows) {
        update.validate(actor, rows);
    }

    @Override
    public Prepared prepare(A actor, UpdateContext context, List<R> rows) {
        if (!(actor instanceof RevocableActor<?> revocable)) {
            throw new UniserveException(ErrorCode.PORT_PROTOCOL, "update " + id() + " cannot be prepared");
        }
        update.update(actor, context, rows);
        return new Prepared() {
            @Override
            public void commit() {
                actor.publish();
            }

            @Override
            public void abort() {
                revocable.revoke();
            }
        };
    }
}
