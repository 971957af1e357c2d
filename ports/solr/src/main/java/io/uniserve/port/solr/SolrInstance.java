package io.uniserve.port.solr;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.update.UpdateFunction;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.solr.core.CoreContainer;
import org.apache.solr.core.CoreDescriptor;
import org.apache.solr.core.MetricsConfig.MetricsConfigBuilder;
import org.apache.solr.core.NodeConfig;
import org.apache.solr.core.PluginInfo;
import org.apache.solr.core.SolrCore;
import org.apache.solr.core.SolrPaths;

/** The core container of one server: a core an actor, and an empty core on which queries are planned. */
final class SolrInstance implements EngineInstance, ActorFactory<SolrActor> {
    private final CoreContainer container;

    /** An empty core. */
    final SolrCore planning;

    private final Set<SolrActor> actors = ConcurrentHashMap.newKeySet();
    private final AtomicLong names = new AtomicLong();

    SolrInstance(Path scratch) {
        // Solr's second HTTP API wants a servlet container, which is not there.
        System.setProperty("disable.v2.api", "true");
        System.setProperty("solr.install.dir", scratch.toString());
        Path home = scratch.toAbsolutePath();
        container = new CoreContainer(config(home));
        planning = SolrFailure.translated("start in " + home, () -> {
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
                .setMetricsConfig(new MetricsConfigBuilder().setEnabled(false).build())
                .build();
    }

    private static void writeConfigset(Path base) throws IOException {
        String name = "configsets/" + SolrEngine.CONFIGSET + "/";
        Path directory =
                Files.createDirectories(base.resolve(SolrEngine.CONFIGSET).resolve("conf"));
        for (String file : List.of("schema.xml", "solrconfig.xml")) {
            try (InputStream in = SolrInstance.class.getResourceAsStream(name + file)) {
                Files.copy(Objects.requireNonNull(in, file), directory.resolve(file));
            }
        }
    }

    /** Opens the index in {@code directory/data/index} or makes an empty one. */
    private SolrCore core(Path directory) {
        Map<String, String> properties = Map.of(
                CoreDescriptor.CORE_CONFIGSET,
                SolrEngine.CONFIGSET,
                CoreDescriptor.CORE_DATADIR,
                directory.resolve("data").toString());
        return container.create("core-" + names.incrementAndGet(), directory, properties, false);
    }

    @Override
    public SolrActor create(ActorContext context) {
        Path scratch = context.scratch().toAbsolutePath();
        SolrCore core = SolrFailure.translated("create a core", () -> core(scratch));
        SolrActor actor = new SolrActor(core, scratch, actors::remove);
        actors.add(actor);
        return actor;
    }

    @Override
    public SolrActor restore(ActorContext context, Path directory) {
        IndexFiles.restore(directory, context.scratch().resolve("data").resolve("index"));
        return create(context);
    }

    @Override
    public ActorFactory<SolrActor> actors() {
        return this;
    }

    @Override
    public List<Operator<?, ?>> operators() {
        return SolrEngine.OPERATORS;
    }

    @Override
    public List<UpdateFunction<?, ?>> updates() {
        return SolrEngine.UPDATES;
    }

    @Override
    public void close() {
        List.copyOf(actors).forEach(SolrActor::close);
        container.shutdown();
    }
}
