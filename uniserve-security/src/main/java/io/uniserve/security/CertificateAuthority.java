package io.uniserve.security;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.CertifiedIdentity.Kind;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Private certificate authority of a cluster, in a folder: {@code authority.pem} and {@code authority.key}. It issues certificates with the
 * identity of a process or user as a URI, see {@link CertifiedIdentity}. Keys are of curve P-256. Not thread-safe.
 *
 * <pre>{@code
 * CertificateAuthority authority = CertificateAuthority.create(folder, "main", now);
 * authority.issueServer("s1", List.of(), now, Duration.ofDays(90), out);
 * }</pre>
 */
public final class CertificateAuthority {
    /** Time for which the authority's own certificate is valid. */
    public static final Duration VALIDITY = Duration.ofDays(3_650);

    static final String CERTIFICATE = "authority.pem";
    static final String KEY = "authority.key";

    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9:]([A-Za-z0-9.:-]{0,252}[A-Za-z0-9])?");
    private static final Pattern IP = Pattern.compile("[0-9.]+|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*");
    private static final Pattern CLUSTER_NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    /** Clocks of other machines may be behind. */
    private static final Duration EARLY = Duration.ofHours(1);

    /** A serial number has at most 20 bytes and a sign. */
    private static final int SERIAL_BITS = 159;

    private final String cluster;
    private final X509CertificateHolder certificate;
    private final PrivateKey key;

    private CertificateAuthority(String cluster, X509CertificateHolder certificate, PrivateKey key) {
        this.cluster = cluster;
        this.certificate = certificate;
        this.key = key;
    }

    /**
     * Creates an authority in a folder, which is made.
     *
     * @throws UniserveException INVALID_ARGUMENT if the name of the cluster is not possible, or the folder has an authority; IO
     */
    public static CertificateAuthority create(Path folder, String cluster, Instant now) {
        if (!CLUSTER_NAME.matcher(cluster).matches()) {
            throw UniserveException.invalid("cluster \"" + cluster + "\": use 1 to 64 letters, digits, _ or -");
        }
        try {
            PemFileFormat.createPrivateFolder(folder);
            PemFileFormat.requireAbsent(folder.resolve(CERTIFICATE), folder.resolve(KEY));
            KeyPair pair = generate();
            X500Name name = new X500NameBuilder(BCStyle.INSTANCE)
                    .addRDN(BCStyle.O, "Uniserve")
                    .addRDN(BCStyle.CN, cluster)
                    .build();
            JcaX509v3CertificateBuilder builder = builder(name, name, pair.getPublic(), now, VALIDITY);
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            X509CertificateHolder made = builder.build(signer(pair.getPrivate()));
            PemFileFormat.writeKey(folder.resolve(KEY), pair.getPrivate());
            PemFileFormat.writeCertificates(folder.resolve(CERTIFICATE), made);
            return new CertificateAuthority(cluster, made, pair.getPrivate());
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw failed("cannot create an authority in " + folder, e);
        }
    }

    /**
     * Opens the authority in a folder.
     *
     * @throws UniserveException IO if it has none, or a damaged one
     */
    public static CertificateAuthority open(Path folder) {
        Path file = folder.resolve(CERTIFICATE);
        if (!Files.exists(file)) {
            throw new UniserveException(
                    ErrorCode.IO, folder + " has no " + CERTIFICATE + ": make it by uniserve security init " + folder);
        }
        try {
            X509CertificateHolder found = PemFileFormat.readCertificate(file);
            String cluster = found.getSubject()
                    .getRDNs(BCStyle.CN)[0]
                    .getFirst()
                    .getValue()
                    .toString();
            return new CertificateAuthority(cluster, found, PemFileFormat.readKey(folder.resolve(KEY)));
        } catch (IOException | GeneralSecurityException | IndexOutOfBoundsException e) {
            throw failed("cannot read the authority in " + folder, e);
        }
    }

    /** Name of the cluster. */
    public String cluster() {
        return cluster;
    }

    /**
     * Issues the certificate of a server or coordinator.
     *
     * @param hosts names and addresses by which others reach it; usually empty, because callers of Uniserve check its identity instead
     * @param out folder of {@code NAME.pem}, {@code NAME.key} and {@code trust.pem}, which is made
     * @throws UniserveException INVALID_ARGUMENT for a name or host that is not possible, and if a file is there; IO
     */
    public CertificateFiles issueServer(String name, List<String> hosts, Instant now, Duration validity, Path out) {
        return issue(new CertifiedIdentity(cluster, Kind.SERVER, name), hosts, now, validity, out);
    }

    /** Issues the certificate of a user. Parameters and errors as of {@link #issueServer}. */
    public CertificateFiles issueUser(String name, Instant now, Duration validity, Path out) {
        return issue(new CertifiedIdentity(cluster, Kind.USER, name), List.of(), now, validity, out);
    }

    /**
     * Issues the certificate of a ZooKeeper server. No process of the cluster accepts it as that of a server or user. Other parameters and
     * errors as of {@link #issueServer}.
     *
     * @param hosts names and addresses of the server in its callers' settings; at least one
     */
    public CertificateFiles issueZooKeeper(String name, List<String> hosts, Instant now, Duration validity, Path out) {
        if (hosts.isEmpty()) {
            throw UniserveException.invalid(
                    "certificate of ZooKeeper: it needs at least one host, because callers check the host name");
        }
        return issue(new CertifiedIdentity(cluster, Kind.ZOOKEEPER, name), hosts, now, validity, out);
    }

    private CertificateFiles issue(
            CertifiedIdentity identity, List<String> hosts, Instant now, Duration validity, Path out) {
        if (!identity.isValid()) {
            throw UniserveException.invalid("name \"" + identity.name()
                    + "\": use 1 to 64 letters, digits, dots, dashes and underscores, no dot or dash in front");
        }
        CertificateFiles files = new CertificateFiles(
                out.resolve(identity.name() + ".pem"), out.resolve(identity.name() + ".key"), out.resolve("trust.pem"));
        try {
            Files.createDirectories(out);
            PemFileFormat.requireAbsent(files.certificate(), files.key());
            KeyPair pair = generate();
            X509CertificateHolder leaf = sign(identity, names(identity, hosts), pair.getPublic(), now, validity);
            PemFileFormat.writeKey(files.key(), pair.getPrivate());
            PemFileFormat.writeCertificates(files.certificate(), leaf, certificate);
            PemFileFormat.writeCertificates(files.trust(), certificate);
            return files;
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw failed("cannot issue a certificate for " + identity, e);
        }
    }

    /**
     * Signs another certificate with the identity and the host names of this one. That of a user is valid for no longer than this one was.
     *
     * @param current certificate of a process or user of the cluster
     * @return certificates in PEM, the leaf first
     * @throws UniserveException UNAUTHORIZED if the certificate has no identity of this cluster; IO
     */
    public String renew(X509Certificate current, PublicKey publicKey, Instant now, Duration validity) {
        CertifiedIdentity identity = CertifiedIdentity.of(current)
                .filter(one -> one.cluster().equals(cluster))
                .orElseThrow(() -> new UniserveException(
                        ErrorCode.UNAUTHORIZED, "the certificate has no identity of cluster " + cluster));
        try {
            GeneralNames names = GeneralNames.fromExtensions(
                    new JcaX509CertificateHolder(current).getExtensions(), Extension.subjectAlternativeName);
            Duration allowed = identity.kind() == Kind.USER ? shorter(validity, current) : validity;
            return PemFileFormat.encode(sign(identity, names, publicKey, now, allowed), certificate);
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw failed("cannot renew the certificate of " + identity, e);
        }
    }

    private static Duration shorter(Duration validity, X509Certificate current) {
        Duration whole = Duration.between(
                current.getNotBefore().toInstant(), current.getNotAfter().toInstant());
        Duration own = whole.compareTo(EARLY) > 0 ? whole.minus(EARLY) : whole; // other tools make none earlier
        return own.compareTo(validity) < 0 ? own : validity;
    }

    private X509CertificateHolder sign(
            CertifiedIdentity identity, GeneralNames names, PublicKey publicKey, Instant now, Duration validity)
            throws IOException, GeneralSecurityException, OperatorCreationException {
        X500Name subject = new X500NameBuilder(BCStyle.INSTANCE)
                .addRDN(BCStyle.O, cluster)
                .addRDN(BCStyle.CN, identity.name())
                .build();
        JcaX509v3CertificateBuilder builder = builder(certificate.getSubject(), subject, publicKey, now, validity);
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
        builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
        builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purposes(identity.kind())));
        builder.addExtension(
                Extension.authorityKeyIdentifier,
                false,
                new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(certificate));
        builder.addExtension(Extension.subjectAlternativeName, false, names);
        return builder.build(signer(key));
    }

    /** Servers also call others; a user cannot pass for a server. */
    private static KeyPurposeId[] purposes(Kind kind) {
        return kind == Kind.USER
                ? new KeyPurposeId[] {KeyPurposeId.id_kp_clientAuth}
                : new KeyPurposeId[] {KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth};
    }

    private static GeneralNames names(CertifiedIdentity identity, List<String> hosts) {
        List<GeneralName> names = new ArrayList<>();
        names.add(new GeneralName(GeneralName.uniformResourceIdentifier, identity.uri()));
        for (String host : hosts) {
            if (!HOST.matcher(host).matches()) {
                throw UniserveException.invalid("host \"" + host + "\": use a host name or an address");
            }
            int kind = IP.matcher(host).matches() ? GeneralName.iPAddress : GeneralName.dNSName;
            names.add(new GeneralName(kind, host));
        }
        return new GeneralNames(names.toArray(GeneralName[]::new));
    }

    private static JcaX509v3CertificateBuilder builder(
            X500Name issuer, X500Name subject, PublicKey subjectKey, Instant now, Duration validity)
            throws GeneralSecurityException {
        if (validity.isNegative() || validity.isZero() || validity.compareTo(VALIDITY) > 0) {
            throw UniserveException.invalid(
                    "validity of " + validity.toDays() + " days: use 1 to " + VALIDITY.toDays() + " days");
        }
        // Random, as the key is: two certificates have the same serial number only if they have the same key.
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(subjectKey.getEncoded());
        BigInteger serial = new BigInteger(1, hash).shiftRight(hash.length * Byte.SIZE - SERIAL_BITS);
        return new JcaX509v3CertificateBuilder(
                issuer, serial, Date.from(now.minus(EARLY)), Date.from(now.plus(validity)), subject, subjectKey);
    }

    private static KeyPair generate() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    private static ContentSigner signer(PrivateKey key) throws OperatorCreationException {
        return new JcaContentSignerBuilder("SHA256withECDSA").build(key);
    }

    private static UniserveException failed(String what, Exception cause) {
        return new UniserveException(ErrorCode.IO, what + ": " + cause.getMessage(), cause);
    }
}
