package io.uniserve.port.kv;

import io.uniserve.api.Document;
import io.uniserve.api.update.AtomicUpdate;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.Prepared;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.codec.Codec;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Update function of this port: a check of each row, and a step that cannot fail for a checked row.
 *
 * @param condition on the actor's state, for all rows together; null for none
 */
public record KvUpdate(
        String id,
        Consumer<Document> check,
        BiConsumer<KvActor, Document> apply,
        @Nullable BiConsumer<KvActor, List<Document>> condition)
        implements EventualUpdate<KvActor, Document>, AtomicUpdate<KvActor, Document> {
    @Override
    public Class<KvActor> actorType() {
        return KvActor.class;
    }

    @Override
    public Codec<Document> rows() {
        return Document.CODEC;
    }

    @Override
    public void validate(KvActor actor, List<Document> rows) {
        rows.forEach(check);
        if (condition != null) {
            condition.accept(actor, rows);
        }
    }

    @Override
    public boolean isConditional(Document row) {
        return condition != null;
    }

    @Override
    public void update(KvActor actor, UpdateContext context, List<Document> rows) {
        actor.update(() -> rows.forEach(row -> apply.accept(actor, row)));
    }

    @Override
    public Prepared prepare(KvActor actor, UpdateContext context, List<Document> rows) {
        rows.forEach(check);
        return new Prepared() {
            @Override
            public void commit() {
                update(actor, context, rows);
            }

            @Override
            public void abort() {
                // nothing was changed
            }
        };
    }
}
