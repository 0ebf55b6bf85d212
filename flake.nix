# claw as a package, a development shell, and checks. Inputs are named by branch and not locked: a lock file needs a
# network that the place of development does not have. `nix flake lock` makes one.
{
  description = "claw: an agent harness";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      manifest = builtins.fromJSON (builtins.readFile ./package.json);

      # Node comes from nixpkgs: the `node` package of the lock file would download one while it installs.
      base = pkgs: {
        pname = manifest.name;
        version = manifest.version;
        src = self;
        nodejs = pkgs.nodejs_24;
        npmDeps = pkgs.importNpmLock { npmRoot = self; };
        npmConfigHook = pkgs.importNpmLock.npmConfigHook;
        npmFlags = [ "--ignore-scripts" ];
      };

      package = pkgs: pkgs.buildNpmPackage (base pkgs // {
        nativeBuildInputs = [ pkgs.makeWrapper ];
        buildPhase = ''
          runHook preBuild
          node scripts/build.ts
          runHook postBuild
        '';
        installPhase = ''
          runHook preInstall
          mkdir -p $out/lib/claw $out/bin
          cp -r dist package.json LICENSE README.md $out/lib/claw/
          makeWrapper ${pkgs.nodejs_24}/bin/node $out/bin/claw --add-flags $out/lib/claw/dist/claw.js
          runHook postInstall
        '';
        meta = {
          description = manifest.description;
          license = pkgs.lib.licenses.mit;
          mainProgram = "claw";
        };
      });

      verify = pkgs: name: command: pkgs.buildNpmPackage (base pkgs // {
        pname = "claw-${name}";
        nativeBuildInputs = [ pkgs.git pkgs.tmux ];
        buildPhase = ''
          export HOME=$TMPDIR CI=true
          ${command}
        '';
        installPhase = "touch $out";
      });
    in
    {
      packages = forEach (pkgs: { default = package pkgs; });

      devShells = forEach (pkgs: {
        default = pkgs.mkShell { packages = [ pkgs.nodejs_24 pkgs.git pkgs.tmux pkgs.bubblewrap ]; };
      });

      checks = forEach (pkgs: {
        build = package pkgs;
        check = verify pkgs "check" "node scripts/check.ts";
        test = verify pkgs "test" "node scripts/test.ts";
      });
    };
}
