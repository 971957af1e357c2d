package io.uniserve.runtime.registry.access;

import java.nio.file.Path;
import java.util.Optional;

/**
 * TLS of connections to ZooKeeper. All files are in PEM.
 *
 * @param section setting of the files, for errors
 * @param certificate certificate chain of this process; empty if ZooKeeper requests none
 * @param key its private key, PKCS#8
 * @param trust certificates of the authorities of ZooKeeper's servers; empty for those of the JDK
 * @param checkHostName true if a server's certificate must have the host name or address of the connection
 */
public record ZooKeeperTls(
        String section, Optional<Path> certificate, Optional<Path> key, Optional<Path> trust, boolean checkHostName) {}
