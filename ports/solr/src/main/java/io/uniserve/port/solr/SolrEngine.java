package io.uniserve.port.solr;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineFailures;
import io.uniserve.api.EngineFunctions;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.plan.Planner;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Partitioner;
import io.uniserve.model.PortInfo;
import io.uniserve.model.TableMeta;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.io.FileUtils;
import org.apache.solr.common.SolrException;
import org.apache.solr.core.CoreContainer;
import org.apache.solr.core.CoreDescriptor;
import org.apache.solr.core.MetricsConfig.MetricsConfigBuilder;
import org.apache.solr.core.NodeConfig;
import org.apache.solr.core.PluginInfo;
import org.apache.solr.core.SolrCore;
import org.apache.solr.core.SolrPaths;
import org.apache.solr.search.SyntaxError;

/** Apache Solr. Table option: {@code configset}, {@code default} unless given. Queries are planned where it is open. */
public final class SolrEngine implements Engine {
    /** Calls into Solr: what it throws for a bad query or document is the user's. */
    static final EngineFailures SOLR = new EngineFailures("Solr", SolrEngine::code);

    /** The configset that comes with the port, its uniqueKey and the field that words without one are looked up in. */
    static final String CONFIGSET = "default";

    static final String UNIQUE_KEY = "id";
    static final String DEFAULT_FIELD = "text";

    private static final EngineFunctions FUNCTIONS =
            new EngineFunctions(List.of(ShardOperator.SELECT), List.of(SolrUpdates.ADD, SolrUpdates.DELETE));

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
        return FUNCTIONS.info("solr", "1", Set.of(ConsistencyLevel.EVENTUAL));
    }

    @Override
    public void validate(TableMeta meta) {
        if (!meta.options().isEmpty() && !meta.options().equals(Map.of("configset", CONFIGSET))) {
            throw UniserveException.invalid("table options are " + meta.options() + ": use configset=" + CONFIGSET);
        }
        if (!meta.keyField().equals(UNIQUE_KEY)) {
            throw UniserveException.invalid("key field is \"" + meta.keyField() + "\": use \"" + UNIQUE_KEY + '"');
        }
        if (!(meta.partitioner() instanceof Partitioner.Hash)) {
            throw UniserveException.invalid("partitioner: port solr supports hash, for a uniqueKey is a text");
        }
    }

    @Override
    public EngineInstance open(EngineContext context) {
        Instance opened = new Instance(context.scratch());
        open.add(opened);
        return FUNCTIONS.instance(opened, opened::close);
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(new SolrPlanner(this::planning));
    }

    SolrCore planning() {
        open.removeIf(any -> any.planning.isClosed());
        for (Instance any : open) {
            return any.planning;
        }
        throw new UniserveException(ErrorCode.UNAVAILABLE, "Solr is not open in this process; ask a server");
    }

    /** The core container of one server: a core an actor, and an empty core on which queries are planned. */
    private static final class Instance implements ActorFactory<SolrActor> {
        private final CoreContainer container;
        private final AtomicLong names = new AtomicLong();
        private final SolrCore planning;

        Instance(Path scratch) {
            // Solr's second HTTP API wants a servlet container, which is not there.
            System.setProperty("disable.v2.api", "true");
            System.setProperty("solr.install.dir", scratch.toString());
            Path home = scratch.toAbsolutePath();
            container = new CoreContainer(config(home));
            planning = SOLR.translated("start in " + home, () -> {
                writeConfigset(home.resolve("configsets"));
                container.load();
                return core(home.resolve("planning"));
            });
        }

        private static NodeConfig config(Path home) {
            String shards = ActorShards.Factory.class.getName();
            return new NodeConfig.NodeConfigBuilder("uniserve", home)
                    .setConfigSetBaseDirectory(home.resolve("configsets").toString())
                    .setAllowPaths(Set.of(SolrPaths.ALL_PATH))
                    .setUseSchemaCache(true)
                    .setShardHandlerFactoryConfig(new PluginInfo("shards", Map.of("class", shards), null, List.of()))
                    .setMetricsConfig(
                            new MetricsConfigBuilder().setEnabled(false).build())
                    .build();
        }

        private static void writeConfigset(Path base) throws IOException {
            for (String file : List.of("schema.xml", "solrconfig.xml")) {
                URL url = SolrEngine.class.getResource("configsets/" + CONFIGSET + "/" + file);
                Path target = base.resolve(CONFIGSET).resolve("conf").resolve(file);
                FileUtils.copyURLToFile(Objects.requireNonNull(url, file), target.toFile());
            }
        }

        /** Opens the index in {@code directory/data/index} or makes an empty one. */
        private SolrCore core(Path directory) {
            Map<String, String> properties = Map.of(CoreDescriptor.CORE_CONFIGSET, CONFIGSET);
            return container.create("core-" + names.incrementAndGet(), directory, properties, false);
        }

        @Override
        public SolrActor create(ActorContext context) {
            Path scratch = context.scratch().toAbsolutePath();
            SolrCore core = SOLR.translated("create a core", () -> core(scratch));
            return new SolrActor(container, core.getName(), scratch);
        }

        @Override
        public SolrActor restore(ActorContext context, Path directory) {
            IndexFiles.restore(directory, context.scratch().resolve("data").resolve("index"));
            return create(context);
        }

        void close() {
            container.shutdown();
        }
    }
}
