package io.uniserve.benchmark.solrcloud;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import javax.servlet.DispatcherType;
import org.apache.solr.servlet.CoreContainerProvider;
import org.apache.solr.servlet.SolrDispatchFilter;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.NoJspServlet;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * SolrCloud node in this process: Jetty with Solr's listener and filter, configured like {@code web.xml}, {@code jetty.xml} and {@code
 * jetty-http.xml} of Solr's distribution. That distribution is in no package registry, so it cannot be used itself.
 */
public final class SolrNode {
    private static final int THREADS_MIN = 10;
    private static final int THREADS_MAX = 10_000;
    private static final int OUTPUT_BUFFER_BYTES = 32_768;
    private static final int STREAMS_MAX = 1_024;
    private static final long IDLE_MS = 120_000;

    private SolrNode() {}

    /** Arguments: a new home directory, and ZooKeeper's address. Prints a line when the node serves. */
    public static void main(String[] arguments) throws Exception {
        // If the benchmark is killed, this node ends too.
        CompletableFuture<?> unused = ProcessHandle.current()
                .parent()
                .orElseThrow()
                .onExit()
                .thenRun(() -> Runtime.getRuntime().halt(1));
        Path home = Files.createDirectories(Path.of(arguments[0])).toAbsolutePath();
        copy("solr.xml", home.resolve("solr.xml"));
        System.setProperty("solr.solr.home", home.toString());
        System.setProperty("solr.install.dir", home.toString());
        System.setProperty("solr.log.dir", home.resolve("logs").toString());
        System.setProperty("zkHost", arguments[1]);

        Server server = new Server(new QueuedThreadPool(THREADS_MAX, THREADS_MIN));
        ServerConnector connector = connector(server);
        connector.open();
        System.setProperty("solr.port", Integer.toString(connector.getLocalPort()));

        ServletContextHandler context = new ServletContextHandler(server, "/solr");
        context.addEventListener(new CoreContainerProvider());
        context.addFilter(SolrDispatchFilter.class, "/*", EnumSet.of(DispatcherType.REQUEST));
        // The filter answers all requests, but gets only those for which a servlet is mapped.
        context.addServlet(NoJspServlet.class, "/*");
        server.start();
        System.out.println("ready solrcloud 127.0.0.1:" + connector.getLocalPort() + " pid "
                + ProcessHandle.current().pid());
        server.join();
    }

    private static ServerConnector connector(Server server) {
        HttpConfiguration http = new HttpConfiguration();
        http.setOutputBufferSize(OUTPUT_BUFFER_BYTES);
        http.setSendServerVersion(false);
        http.setRelativeRedirectAllowed(false);
        HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(http);
        http2.setMaxConcurrentStreams(STREAMS_MAX);
        ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http), http2);
        connector.setHost("127.0.0.1");
        connector.setIdleTimeout(IDLE_MS);
        server.addConnector(connector);
        return connector;
    }

    private static void copy(String resource, Path target) throws IOException {
        try (InputStream in = Objects.requireNonNull(SolrNode.class.getResourceAsStream(resource), resource)) {
            Files.write(target, in.readAllBytes());
        }
    }
}
