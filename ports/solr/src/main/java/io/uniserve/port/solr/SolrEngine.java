package io.uniserve.port.solr;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.ActorFiles;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineFailures;
import io.uniserve.api.EngineFunctions;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.PackedFiles;
import io.uniserve.api.TableChecks;
import io.uniserve.api.plan.Planner;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.TableMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.solr.common.SolrException;
import org.apache.solr.core.CoreContainer;
import org.apache.solr.core.CoreDescriptor;
import org.apache.solr.core.SolrConfig;
import org.apache.solr.core.SolrCore;
import org.apache.solr.core.SolrXmlConfig;
import org.apache.solr.schema.IndexSchemaFactory;
import org.apache.solr.schema.SchemaField;
import org.apache.solr.schema.StrField;
import org.apache.solr.search.SyntaxError;

/** Apache Solr. Table option: {@code configset}, {@code default} or packed files. Queries are planned where it is open. */
public final class SolrEngine implements Engine {
    /** Calls into Solr: what it throws for a bad query or document is the user's. */
    static final EngineFailures SOLR = new EngineFailures("Solr", SolrEngine::code);

    static final String KEY = "uniserve.key";
    private static final String CONFIGSET = "default";

    private static final EngineFunctions FUNCTIONS = new EngineFunctions(
                    List.of(SolrQuery.SHARD), List.of(SolrUpdates.ADD, SolrUpdates.DELETE, SolrUpdates.DELETE_BY_QUERY))
            .with(SolrQuery.WHOLE);

    /** The open ones: a process has several where several servers run in it. Any can plan. */
    private final Set<Instance> open = new CopyOnWriteArraySet<>();

    private static Optional<ErrorCode> code(Throwable failure) {
        boolean users = failure instanceof SyntaxError
                || failure instanceof NumberFormatException
                || (failure instanceof SolrException solr && solr.code() == SolrException.ErrorCode.BAD_REQUEST.code);
        return users ? Optional.of(ErrorCode.INVALID_ARGUMENT) : Optional.empty();
    }

    @Override
    public PortInfo info() {
        return FUNCTIONS.info("solr", "2", Set.of(ConsistencyLevel.EVENTUAL));
    }

    @Override
    public void validate(TableMeta meta) {
        TableChecks.hashed(meta, "a uniqueKey is a text");
        SchemaField key = new EngineFailures("configset", failure -> Optional.of(ErrorCode.INVALID_ARGUMENT))
                .translated(
                        "be read",
                        () -> PackedFiles.temporary(folder -> {
                            SolrConfig config =
                                    new SolrConfig(folder.resolve(configset(meta, folder)), "solrconfig.xml");
                            return IndexSchemaFactory.buildIndexSchema("schema.xml", config)
                                    .getUniqueKeyField();
                        }));
        if (key == null || !(key.getType() instanceof StrField)) {
            throw UniserveException.invalid("the schema's uniqueKey must be a field of type solr.StrField");
        }
    }

    /**
     * The configset of a table, in a folder named by its contents: a schema with its files, the port's own or those that the
     * table brings, and always the port's {@code solrconfig.xml}, as a core here has no log, commits or caches of its own.
     */
    private static String configset(TableMeta meta, Path base) throws IOException {
        TableChecks.onlyOption(meta, "configset");
        String packed = meta.options().getOrDefault("configset", CONFIGSET);
        String name = packed.equals(CONFIGSET) ? packed : Sha256.hex(Bytes.utf8(packed));
        PackedFiles.once(Files.createDirectories(base.resolve(name)).resolve("conf"), conf -> {
            if (packed.equals(CONFIGSET)) {
                Files.writeString(conf.resolve("schema.xml"), resource("schema.xml"));
            } else {
                PackedFiles.unpack(packed, conf);
            }
            PackedFiles.rename(conf, List.of("managed-schema.xml", "managed-schema"), "schema.xml");
            Files.writeString(conf.resolve("solrconfig.xml"), resource("solrconfig.xml"));
        });
        return name;
    }

    private static String resource(String name) {
        return PackedFiles.resource(SolrEngine.class, name);
    }

    @Override
    public EngineInstance open(EngineContext context) {
        Instance opened = new Instance(context.scratch().toAbsolutePath());
        open.add(opened);
        return FUNCTIONS.instance(opened, opened.container::shutdown);
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of((query, context) -> {
            TableMeta table = context.table(query.table());
            SolrQuery planned = new SolrQuery(context, table, planning(table));
            return SOLR.translated("plan the query", () -> planned.answer(query.text()));
        });
    }

    SolrCore planning(TableMeta table) {
        open.removeIf(any -> any.container.isShutDown());
        for (Instance any : open) {
            return any.planning(table);
        }
        throw new UniserveException(ErrorCode.UNAVAILABLE, "Solr is not open in this process; ask a server");
    }

    /** The core container of one server: a core an actor, and an empty core a configset on which queries are planned. */
    private static final class Instance implements ActorFactory<SolrActor> {
        private final Path home;
        private final CoreContainer container;
        private final AtomicLong names = new AtomicLong();
        private final Map<String, SolrCore> planning = new ConcurrentHashMap<>();

        Instance(Path home) {
            // Solr's second HTTP API wants a servlet container, which is not there.
            System.setProperty("disable.v2.api", "true");
            System.setProperty("solr.install.dir", home.toString());
            this.home = home;
            container = new CoreContainer(SolrXmlConfig.fromString(home, resource("solr.xml")));
            container.load();
        }

        SolrCore planning(TableMeta table) {
            String configset = table.options().getOrDefault("configset", CONFIGSET);
            return planning.computeIfAbsent(configset, any -> core(table, home.resolve("planning-" + planning.size())));
        }

        /** Opens the index in {@code directory/data/index} or makes an empty one. */
        private synchronized SolrCore core(TableMeta table, Path directory) {
            return SOLR.translated("create a core", () -> {
                String configset = configset(table, home.resolve("configsets"));
                Map<String, String> properties =
                        Map.of(CoreDescriptor.CORE_CONFIGSET, configset, KEY, table.keyField());
                return container.create("core-" + names.incrementAndGet(), directory, properties, false);
            });
        }

        @Override
        public SolrActor create(ActorContext context) {
            Path scratch = context.scratch().toAbsolutePath();
            SolrCore core = core(context.meta(), scratch);
            return new SolrActor(container, core.getName(), scratch, null);
        }

        @Override
        public SolrActor restore(ActorContext context, Path directory) {
            Path index = context.scratch().resolve("data").resolve("index");
            return ActorFiles.restored(directory, index, () -> create(context));
        }
    }
}
