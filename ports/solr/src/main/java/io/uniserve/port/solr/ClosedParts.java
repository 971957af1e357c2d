package io.uniserve.port.solr;

import io.uniserve.api.EngineSwitch;
import io.uniserve.error.UniserveException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.core.SolrCore;
import org.apache.solr.handler.RequestHandlerBase;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.response.SolrQueryResponse;
import org.apache.solr.response.transform.DocTransformer;
import org.apache.solr.response.transform.TransformerFactory;
import org.apache.solr.search.QParser;
import org.apache.solr.search.QParserPlugin;
import org.apache.solr.security.AuthorizationContext;
import org.apache.solr.security.PermissionNameProvider;

/**
 * Parts of Solr that reach other cores, files or addresses, and are closed in each core. {@code solrconfig.xml} names the replacements of
 * handlers, parsers and transformers. A client may send any parameters to an actor, so each core is closed by itself. Stateless.
 */
final class ClosedParts {
    /** Paths of the handlers that a core keeps. */
    static final Set<String> HANDLERS = Set.of("/get", "/select");

    private static final String REQUEST_HANDLERS = "requestHandlers";

    /** System properties of Solr, and the handlers of a core. */
    static final List<EngineSwitch> SWITCHES = List.of(
            new EngineSwitch(
                    "solr.enableRemoteStreaming", "false", "stream.url and stream.file: reads of addresses and files"),
            new EngineSwitch("solr.enableStreamBody", "false", "stream.body: commands in parameters"),
            new EngineSwitch("enable.packages", "false", "packages of classes that are loaded at runtime"),
            new EngineSwitch("disable.configEdit", "true", "changes of a core's handlers and listeners"),
            new EngineSwitch(
                    "solr.allow.unsafe.resourceloading", "false", "files outside of the configset in a schema"),
            new EngineSwitch("solr.disable.allowUrls", "false", "requests to other servers: shards, leaders"),
            new EngineSwitch(REQUEST_HANDLERS, "/get, /select", "replication, backups, configuration, files, streams"));

    private ClosedParts() {}

    /** Sets the switches that are system properties. */
    static void setProperties() {
        SWITCHES.stream()
                .filter(one -> !one.name().equals(REQUEST_HANDLERS))
                .forEach(one -> System.setProperty(one.name(), one.value()));
    }

    /** Returns the value of a switch in a core, or of this process. */
    static String value(SolrCore core, String name) {
        return name.equals(REQUEST_HANDLERS)
                ? String.join(", ", openHandlers(core))
                : String.valueOf(System.getProperty(name));
    }

    /** Fails if a core has an open handler that is not one of queries, as after an update of Solr. */
    static SolrCore checked(SolrCore core) {
        if (!openHandlers(core).equals(HANDLERS)) {
            throw new IllegalStateException(
                    "solrconfig.xml must close all handlers but " + HANDLERS + ", not " + openHandlers(core));
        }
        return core;
    }

    private static Set<String> openHandlers(SolrCore core) {
        Set<String> open = new TreeSet<>();
        core.getRequestHandlers().getRegistry().forEach((path, holder) -> {
            boolean closed = holder.isLoaded()
                    ? holder.get() instanceof Handler
                    : Handler.class.getName().equals(holder.getClassName());
            if (!closed && !path.isEmpty()) { // the handler of an empty path is that of /select
                open.add(path);
            }
        });
        return open;
    }

    private static UniserveException refused(String what) {
        return UniserveException.unsupported(what + " reads documents of other cores, and is not supported: remove it");
    }

    /** Replacement of handlers. */
    public static final class Handler extends RequestHandlerBase {
        @Override
        public void handleRequestBody(SolrQueryRequest request, SolrQueryResponse response) {
            throw UniserveException.unsupported(
                    "handler " + request.getContext().get("path") + " is not supported: use /select or /get");
        }

        @Override
        public String getDescription() {
            return "closed";
        }

        @Override
        public PermissionNameProvider.Name getPermissionName(AuthorizationContext request) {
            return PermissionNameProvider.Name.ALL;
        }
    }

    /** Replacement of the parser of joins. */
    public static final class Parser extends QParserPlugin {
        @Override
        public QParser createParser(String text, SolrParams local, SolrParams params, SolrQueryRequest request) {
            throw refused("parser \"" + local.get("type", "join") + "\"");
        }
    }

    /** Replacement of the transformer of sub-queries. */
    public static final class Transformer extends TransformerFactory {
        @Override
        public DocTransformer create(String field, SolrParams params, SolrQueryRequest request) {
            throw refused("transformer [" + field + "]");
        }

        @Override
        public void init(NamedList<?> args) {
            // it has no settings
        }
    }
}
