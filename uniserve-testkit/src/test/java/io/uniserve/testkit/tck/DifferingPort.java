package io.uniserve.testkit.tck;

import io.uniserve.api.ActorFactory;
import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.update.AtomicUpdate;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.Prepared;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.codec.Codec;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.kv.KvActor;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.port.kv.KvUpdateFunctions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Test kit cases of a key-value port with replicas that would differ: each prepare adds a number of its own. {@link DifferingPortTest} runs
 * it.
 */
class DifferingPort extends PortTck {
    DifferingPort() {
        super(new Fixture());
    }

    private static final class Fixture extends KvTckTest.KvFixture {
        @Override
        public Engine engine() {
            return new Differing();
        }
    }

    private static final class Differing implements Engine {
        private final KvEngine kv = new KvEngine();

        @Override
        public PortInfo info() {
            return kv.info();
        }

        @Override
        public void validate(TableMeta meta) {
            kv.validate(meta);
        }

        @Override
        public EngineInstance open(EngineContext context) {
            EngineInstance opened = kv.open(context);
            return new EngineInstance() {
                @Override
                public ActorFactory<?> actors() {
                    return opened.actors();
                }

                @Override
                public List<Operator<?, ?>> operators() {
                    return opened.operators();
                }

                @Override
                public List<UpdateFunction<?, ?>> updates() {
                    return opened.updates().stream()
                            .<UpdateFunction<?, ?>>map(each -> each == KvUpdateFunctions.PUT ? new Put() : each)
                            .toList();
                }

                @Override
                public void close() {
                    opened.close();
                }
            };
        }
    }

    private static final class Put implements EventualUpdate<KvActor, Document>, AtomicUpdate<KvActor, Document> {
        private final AtomicLong calls = new AtomicLong();

        @Override
        public String id() {
            return KvUpdateFunctions.PUT.id();
        }

        @Override
        public Class<KvActor> actorType() {
            return KvUpdateFunctions.PUT.actorType();
        }

        @Override
        public Codec<Document> rows() {
            return KvUpdateFunctions.PUT.rows();
        }

        @Override
        public void validate(KvActor actor, List<Document> rows) {
            KvUpdateFunctions.PUT.validate(actor, rows);
        }

        @Override
        public void update(KvActor actor, UpdateContext context, List<Document> rows) {
            KvUpdateFunctions.PUT.update(actor, context, rows);
        }

        @Override
        public Prepared prepare(KvActor actor, UpdateContext context, List<Document> rows) {
            long drawn = calls.incrementAndGet();
            return KvUpdateFunctions.PUT.prepare(
                    actor, context, rows.stream().map(row -> with(row, drawn)).toList());
        }

        private static Document with(Document row, long drawn) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>(row.fields());
            fields.put("drawn", drawn);
            return new Document(row.keyField(), fields);
        }
    }
}
