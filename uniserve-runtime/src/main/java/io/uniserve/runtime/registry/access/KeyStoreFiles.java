package io.uniserve.runtime.registry.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.crypto.KeyGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Key store files for ZooKeeper's client, which reads files only, and the key and its certificate from one. They are in a temporary
 * folder of this account, encrypted with a random password that is in memory only. Thread-safe.
 */
final class KeyStoreFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeyStoreFiles.class);
    private static final String CIPHER = "AES";
    private static final String IDENTITY = "identity.p12";
    private static final String TRUST = "trust.p12";

    private final ZooKeeperTls tls;
    private final Path folder;
    private final String password;
    private List<FileTime> written;

    /** Reads the files in PEM. Fails as {@link PemKeyStores#read}. */
    KeyStoreFiles(ZooKeeperTls tls) {
        this.tls = tls;
        this.written = times();
        try {
            password = randomPassword();
            PemKeyStores stores = PemKeyStores.read(tls, password);
            folder = Files.createTempDirectory("uniserve-zookeeper-");
            write(stores);
        } catch (IOException | GeneralSecurityException e) {
            throw new UniserveException(
                    ErrorCode.IO, "key stores for ZooKeeper cannot be written: check java.io.tmpdir: " + e, e);
        }
    }

    /** A random key of the JDK's default length, at least 128 bits. */
    private static String randomPassword() throws GeneralSecurityException {
        return Base64.getEncoder()
                .encodeToString(KeyGenerator.getInstance(CIPHER).generateKey().getEncoded());
    }

    /** Reads the files again if they have changed. Keeps what it has if they cannot be used. */
    synchronized void refresh() {
        List<FileTime> now = times();
        if (now.equals(written)) {
            return;
        }
        written = now;
        try {
            write(PemKeyStores.read(tls, password));
            LOG.info("{}: files read again", tls.section());
        } catch (UniserveException | IOException | GeneralSecurityException e) {
            LOG.warn("{}: changed files cannot be used, the earlier ones stay in use: {}", tls.section(), e.toString());
        }
    }

    private void write(PemKeyStores stores) throws IOException, GeneralSecurityException {
        if (stores.identity().isPresent()) {
            write(IDENTITY, stores.identity().get());
        }
        if (stores.trust().isPresent()) {
            write(TRUST, stores.trust().get());
        }
    }

    private void write(String name, KeyStore store) throws IOException, GeneralSecurityException {
        Path part = Files.createTempFile(folder, name, ".part");
        try (OutputStream out = Files.newOutputStream(part)) {
            store.store(out, password.toCharArray());
        }
        Files.move(part, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private List<FileTime> times() {
        List<FileTime> times = new ArrayList<>();
        Stream.of(tls.certificate(), tls.key(), tls.trust())
                .flatMap(Optional::stream)
                .forEach(file -> {
                    try {
                        times.add(Files.getLastModifiedTime(file));
                    } catch (IOException e) {
                        times.add(FileTime.fromMillis(0));
                    }
                });
        return times;
    }

    /** Name of the key store's file; empty without a certificate. */
    String identity() {
        return tls.certificate().isPresent() ? folder.resolve(IDENTITY).toString() : "";
    }

    /** Name of the trust store's file; empty for the JDK's authorities. */
    String trust() {
        return tls.trust().isPresent() ? folder.resolve(TRUST).toString() : "";
    }

    String password() {
        return password;
    }

    /** Deletes the files. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(folder.resolve(IDENTITY));
            Files.deleteIfExists(folder.resolve(TRUST));
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            LOG.warn("folder {} cannot be deleted: {}", folder, e.toString());
        }
    }
}
