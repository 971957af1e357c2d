package io.uniserve.runtime.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.Certificates;
import io.uniserve.runtime.tls.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replacement of certificate and key, interrupted after each of its steps. */
class LeafFilesTest {
    @TempDir
    Path directory;

    private TlsFiles files;
    private Path certificate;
    private Path key;

    @BeforeEach
    void make() throws IOException, InterruptedException, GeneralSecurityException {
        Certificates.make(directory, "old", "uri:uniserve://main/server/s1");
        Certificates.make(directory, "new", "uri:uniserve://main/server/s1");
        Files.writeString(
                directory.resolve("trust.pem"),
                Files.readString(directory.resolve("old.pem")) + Files.readString(directory.resolve("new.pem")));
        files = Certificates.files(directory, "old", "trust", false);
        certificate = directory.resolve("old.pem");
        key = directory.resolve("old.key");
    }

    private String pem(String name) throws IOException {
        return Files.readString(directory.resolve(name));
    }

    private ReloadingTls start() {
        return ReloadingTls.read(files, SystemClock.INSTANCE);
    }

    private Path nextKey() {
        return directory.resolve("old.key" + LeafFiles.NEXT);
    }

    @Test
    void bothAreReplaced() throws IOException {
        ReloadingTls tls = start();
        LeafFiles.replace(
                files,
                pem("new.pem"),
                TlsMaterial.read(Certificates.files(directory, "new", "trust", false))
                        .identity()
                        .orElseThrow()
                        .key());
        assertThat(tls.reload()).isTrue();
        assertThat(pem("old.pem")).isEqualTo(pem("new.pem"));
        assertThat(TlsMaterial.fits(certificate, key)).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                .isEqualTo("rw-------");
        assertThat(nextKey()).doesNotExist();
    }

    @Test
    void afterTheKeyIsWrittenTheOldPairIsUsed() throws IOException {
        String old = pem("old.key");
        Files.copy(directory.resolve("new.key"), nextKey());
        assertThat(start().leaf()).isPresent();
        assertThat(pem("old.key")).isEqualTo(old);
    }

    @Test
    void afterTheCertificateIsReplacedTheNewPairIsUsed() throws IOException {
        Files.copy(directory.resolve("new.key"), nextKey());
        Files.writeString(certificate, pem("new.pem"));
        assertThat(start().leaf()).isPresent();
        assertThat(pem("old.key")).isEqualTo(pem("new.key"));
        assertThat(nextKey()).doesNotExist();
    }

    @Test
    void aRunningProcessCompletesIt() throws IOException {
        ReloadingTls tls = start();
        Files.copy(directory.resolve("new.key"), nextKey());
        Files.writeString(certificate, pem("new.pem"));
        assertThat(tls.reload()).isTrue();
        assertThat(TlsMaterial.fits(certificate, key)).isTrue();
    }

    @Test
    void aKeyThatFitsNothingIsLeftAlone() throws IOException {
        Files.writeString(nextKey(), "no key");
        Files.writeString(certificate, pem("new.pem"));
        assertThatThrownBy(this::start)
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("tls.key-file")
                .hasMessageContaining("is not the key of the certificate");
        assertThat(nextKey()).exists();
    }

    @Test
    void aLinkStaysALink() throws IOException {
        Path linked = Files.createDirectory(directory.resolve("linked"));
        for (String suffix : new String[] {".pem", ".key"}) {
            Files.createSymbolicLink(linked.resolve("s1" + suffix), directory.resolve("old" + suffix));
        }
        Files.copy(directory.resolve("trust.pem"), linked.resolve("trust.pem"));
        TlsFiles links = Certificates.files(linked, "s1", "trust", false);
        LeafFiles.replace(
                links,
                pem("new.pem"),
                TlsMaterial.read(Certificates.files(directory, "new", "trust", false))
                        .identity()
                        .orElseThrow()
                        .key());
        assertThat(linked.resolve("s1.key")).isSymbolicLink();
        assertThat(TlsMaterial.fits(certificate, key)).isTrue();
    }

    @Test
    void aFolderThatCannotBeWrittenIsNamed() throws IOException {
        TlsFiles absent = Certificates.files(directory.resolve("absent"), "s1", "trust", false);
        assertThatThrownBy(() -> LeafFiles.replace(
                        absent,
                        pem("new.pem"),
                        TlsMaterial.read(files).identity().orElseThrow().key()))
                .hasMessageContaining("give this process the right to write");
    }
}
